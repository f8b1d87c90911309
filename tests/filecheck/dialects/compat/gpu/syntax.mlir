// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s

// CHECK:       gpu.module @m {
// CHECK-NEXT:    gpu.func @f(%x: memref<16xf32>, %s: i32) kernel attributes {gpu.known_block_size = array<i32: 16, 1, 1>} {
// CHECK-NEXT:      %i = gpu.thread_id x
// CHECK-NEXT:      %j = gpu.block_id y
// CHECK-NEXT:      %k = gpu.block_dim z
// CHECK-NEXT:      %l = gpu.grid_dim x
// CHECK-NEXT:      %m = gpu.global_id x
// CHECK-NEXT:      %n = gpu.lane_id : index
// CHECK-NEXT:      %o = gpu.subgroup_id : index
// CHECK-NEXT:      %p = gpu.subgroup_size : index
// CHECK-NEXT:      %q = gpu.num_subgroups : index
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %v = memref.load %x[%i] : memref<16xf32>
// CHECK-NEXT:      %a, %b = gpu.shuffle xor %v, %s, %s : f32
// CHECK-NEXT:      %c, %d = gpu.shuffle down %v, %s, %s {hello} : f32
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.func @g(%y: f32) -> (f32) {
// CHECK-NEXT:      gpu.return %y : f32
gpu.module @m {
  gpu.func @f(%x: memref<16xf32>, %s: i32) kernel attributes {gpu.known_block_size = array<i32: 16, 1, 1>} {
    %i = gpu.thread_id x
    %j = gpu.block_id y
    %k = gpu.block_dim z
    %l = gpu.grid_dim x
    %m = gpu.global_id x
    %n = gpu.lane_id
    %o = gpu.subgroup_id : index
    %p = gpu.subgroup_size : index
    %q = gpu.num_subgroups : index
    gpu.barrier
    %v = memref.load %x[%i] : memref<16xf32>
    %a, %b = gpu.shuffle xor %v, %s, %s : f32
    %c, %d = gpu.shuffle down %v, %s, %s {hello} : f32
    gpu.return
  }
  gpu.func @g(%y: f32) -> f32 {
    gpu.return %y : f32
  }
}
