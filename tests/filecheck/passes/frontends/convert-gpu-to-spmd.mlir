// RUN: xdsl-opt %s -p convert-gpu-to-spmd --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p convert-gpu-to-spmd,convert-gpu-to-spmd --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: spmd.kernel @f(%x: memref<16xf32>) attributes {work_group_size = array<i64: 16, 1, 1>, sub_group_size = 32 : i64}
// CHECK-NEXT:    spmd.local_id x
// CHECK-NEXT:    spmd.group_id y
// CHECK-NEXT:    spmd.enqueued_local_size z
// CHECK-NEXT:    spmd.num_groups x
// CHECK-NEXT:    spmd.global_id x
// CHECK-NEXT:    spmd.lane_id
// CHECK-NEXT:    spmd.sub_group_id
// CHECK-NEXT:    spmd.sub_group_size
// CHECK-NEXT:    spmd.num_sub_groups
// CHECK-NEXT:    spmd.barrier
// CHECK:         %[[V:.*]] = func.call @twice
// CHECK-NEXT:    spmd.reduce max %[[V]] across work_group : f32
// CHECK-NEXT:    spmd.return
// CHECK-LABEL: func.func @twice(%y: f32) -> f32
// CHECK:         func.return
// CHECK-LABEL: func.func @thrice(%y: f32) -> f32
// CHECK:         func.return
// CHECK-LABEL: spmd.kernel @other_f()
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    spmd.launch @f groups(%n, %n, %n) of(%n, %n, %n) (%x) : memref<16xf32>
// CHECK-NEXT:    spmd.launch @other_f groups(%n, %n, %n) of(%n, %n, %n) ()
// CHECK-NEXT:    func.return
gpu.module @m {
  gpu.func @f(%x: memref<16xf32>) kernel attributes {gpu.known_block_size = array<i32: 16, 1, 1>} {
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
    %w = func.call @twice(%v) : (f32) -> f32
    %r = gpu.all_reduce max %w {} : (f32) -> f32
    gpu.return
  }
  func.func @twice(%y: f32) -> f32 {
    %z = arith.addf %y, %y : f32
    func.return %z : f32
  }
  gpu.func @thrice(%y: f32) -> f32 {
    %z = arith.addf %y, %y : f32
    gpu.return %z : f32
  }
}
gpu.module @other {
  gpu.func @f() kernel {
    gpu.return
  }
}
func.func @main(%x: memref<16xf32>, %n: index) {
  %t = "gpu.wait"() : () -> !gpu.async.token
  "gpu.wait"(%t) : (!gpu.async.token) -> ()
  gpu.launch_func @m::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<16xf32>)
  gpu.launch_func @other::@f blocks in (%n, %n, %n) threads in (%n, %n, %n)
  func.return
}

// -----

// CHECK: expected gpu.all_reduce by one op of arith (addi, mulf, ...)
gpu.module @m {
  gpu.func @f(%x: memref<16xf32>, %v: f32) kernel {
    %r = gpu.all_reduce %v {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      %d = arith.addf %c, %b : f32
      "gpu.yield"(%d) : (f32) -> ()
    } : (f32) -> f32
    gpu.return
  }
}

// -----

// CHECK: expected a kernel in a gpu.module of this module, got @m::@nothing
func.func @f(%n: index) {
  gpu.launch_func @m::@nothing blocks in (%n, %n, %n) threads in (%n, %n, %n)
  func.return
}
