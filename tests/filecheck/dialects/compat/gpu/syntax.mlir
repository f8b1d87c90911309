// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s

// CHECK:       gpu.module @m {
// CHECK-NEXT:    gpu.func @f(%x: memref<16xf32>, %s: i32) kernel attributes {gpu.known_block_size = array<i32: 16, 1, 1>} {
// CHECK-NEXT:      %i = gpu.thread_id x
// CHECK-NEXT:      %j = gpu.block_id y upper_bound 64
// CHECK-NEXT:      %k = gpu.block_dim z
// CHECK-NEXT:      %l = gpu.grid_dim x
// CHECK-NEXT:      %m = gpu.global_id x
// CHECK-NEXT:      %n = gpu.lane_id
// CHECK-NEXT:      %o = gpu.subgroup_id : index
// CHECK-NEXT:      %p = gpu.subgroup_size upper_bound 32 : index
// CHECK-NEXT:      %q = gpu.num_subgroups : index
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      gpu.barrier memfence [#gpu.address_space<workgroup>]
// CHECK-NEXT:      %v = memref.load %x[%i] : memref<16xf32>
// CHECK-NEXT:      %a, %b = gpu.shuffle xor %v, %s, %s : f32
// CHECK-NEXT:      %c, %d = gpu.shuffle down %v, %s, %s {hello} : f32
// CHECK-NEXT:      %e, %g = gpu.rotate %v, 3, 16 : f32
// CHECK-NEXT:      %h = gpu.subgroup_reduce add %v uniform : (f32) -> f32
// CHECK-NEXT:      %r = gpu.subgroup_reduce minsi %s cluster(size = 4, stride = 2) : (i32) -> i32
// CHECK-NEXT:      %t = gpu.subgroup_reduce minsi %s cluster(size = 4) : (i32) -> i32
// CHECK-NEXT:      %u = gpu.subgroup_broadcast %v, first_active_lane : f32
// CHECK-NEXT:      %w = gpu.subgroup_broadcast %v, specific_lane %s : f32
// CHECK-NEXT:      %y = gpu.subgroup_uniform %v : f32
// CHECK-NEXT:      %z = gpu.ballot %b : i64
// CHECK-NEXT:      %a1 = gpu.all_reduce maxnumf %v uniform {} : (f32) -> f32
// CHECK-NEXT:      %a2 = gpu.all_reduce %v {
// CHECK-NEXT:      ^bb0(%lhs: f32, %rhs: f32):
// CHECK-NEXT:        %both = arith.addf %lhs, %rhs : f32
// CHECK-NEXT:        gpu.yield %both : f32
// CHECK-NEXT:      } : (f32) -> f32
// CHECK-NEXT:      %a3 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:      gpu.printf "%f of %d\0A", %v, %s : f32, i32
// CHECK-NEXT:      gpu.printf "%d\0A", %s : i32
// CHECK-NEXT:      gpu.printf "]"
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.func @g(%y: f32) -> (f32) {
// CHECK-NEXT:      gpu.return %y : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.func @h(%x: i32) workgroup(%w: memref<42xf32, #gpu.address_space<workgroup>>) private(%p: memref<2xf32, 5 : i64>, %q: memref<1xf32, 5 : i64>) kernel attributes {foo = "bar"} {
// CHECK:         gpu.func @k(%x: i32) private(%p: memref<2xf32, 5 : i64>) {
// CHECK:         gpu.func @l(%x: i32) {
gpu.module @m {
  gpu.func @f(%x: memref<16xf32>, %s: i32) kernel attributes {gpu.known_block_size = array<i32: 16, 1, 1>} {
    %i = gpu.thread_id x
    %j = gpu.block_id y upper_bound 64
    %k = gpu.block_dim z
    %l = gpu.grid_dim x
    %m = gpu.global_id x
    %n = gpu.lane_id
    %o = gpu.subgroup_id : index
    %p = gpu.subgroup_size upper_bound 32 : index
    %q = gpu.num_subgroups : index
    gpu.barrier
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %v = memref.load %x[%i] : memref<16xf32>
    %a, %b = gpu.shuffle xor %v, %s, %s : f32
    %c, %d = gpu.shuffle down %v, %s, %s {hello} : f32
    %e, %g = gpu.rotate %v, 3, 16 : f32
    %h = gpu.subgroup_reduce add %v uniform : (f32) -> f32
    %r = gpu.subgroup_reduce minsi %s cluster(size = 4, stride = 2) : (i32) -> (i32)
    %t = gpu.subgroup_reduce minsi %s cluster(size = 4) : (i32) -> i32
    %u = gpu.subgroup_broadcast %v, first_active_lane : f32
    %w = gpu.subgroup_broadcast %v, specific_lane %s : f32
    %y = gpu.subgroup_uniform %v : f32
    %z = gpu.ballot %b : i64
    %a1 = gpu.all_reduce maxnumf %v uniform {} : (f32) -> (f32)
    %a2 = gpu.all_reduce %v {
    ^bb0(%lhs: f32, %rhs: f32):
      %both = arith.addf %lhs, %rhs : f32
      gpu.yield %both : f32
    } : (f32) -> f32
    %a3 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.printf "%f of %d\n", %v, %s : f32, i32
    gpu.printf "%d\n" %s : i32
    gpu.printf "]"
    gpu.return
  }
  gpu.func @g(%y: f32) -> f32 {
    gpu.return %y : f32
  }
  gpu.func @h(%x: i32)
      workgroup(%w: memref<42xf32, #gpu.address_space<workgroup>>)
      private(%p: memref<2xf32, 5>, %q: memref<1xf32, 5>)
      kernel attributes {foo = "bar"} {
    gpu.return
  }
  gpu.func @k(%x: i32) private(%p: memref<2xf32, 5>) {
    gpu.return
  }
  gpu.func @l(%x: i32) workgroup() private() {
    gpu.return
  }
}

// CHECK-LABEL: func.func @host
// CHECK-NEXT:    %t = gpu.wait async
// CHECK-NEXT:    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%ex = %n, %ey = %n, %ez = %n) dynamic_shared_memory_size %s module(@names) function(@name) workgroup(%w: memref<4xf32, 3 : i64>) private(%p: memref<2xf32, 5 : i64>) {
// CHECK-NEXT:      memref.store %v, %x[%tx] : memref<?xf32>
// CHECK-NEXT:      gpu.terminator
// CHECK-NEXT:    } {foo}
// CHECK-NEXT:    %t2 = gpu.launch async [%t] blocks(%bx_1, %by_1, %bz_1)
// CHECK:         %m, %t3 = gpu.alloc async [%t2] host_shared (%n) : memref<?xf32>
// CHECK-NEXT:    %o = gpu.alloc () : memref<13xf32, 1 : i64>
// CHECK-NEXT:    %t4 = gpu.memcpy async [%t3] %m, %x : memref<?xf32>, memref<?xf32>
// CHECK-NEXT:    gpu.memcpy %o, %z : memref<13xf32, 1 : i64>, memref<13xf32>
// CHECK-NEXT:    gpu.memset %m, %v : memref<?xf32>, f32
// CHECK-NEXT:    %t5 = gpu.memset async [%t3, %t4] %m, %v : memref<?xf32>, f32
// CHECK-NEXT:    gpu.host_register %u : memref<*xf32>
// CHECK-NEXT:    gpu.host_unregister %u : memref<*xf32>
// CHECK-NEXT:    gpu.set_default_device %s
// CHECK-NEXT:    gpu.wait [%t4]
// CHECK-NEXT:    %t6 = gpu.launch_func async [%t2, %t] @m::@f blocks in (%l, %l, %l) threads in (%l, %l, %l) : i64 dynamic_shared_memory_size %s args(%z : memref<13xf32>, %s : i32)
// CHECK-NEXT:    gpu.launch_func @m::@h clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : i32)
// CHECK-NEXT:    %t7 = gpu.dealloc async [%t6] %m : memref<?xf32>
// CHECK-NEXT:    gpu.dealloc %o : memref<13xf32, 1 : i64>
// CHECK-NEXT:    gpu.wait
// CHECK-NEXT:    func.return
func.func @host(%n: index, %s: i32, %l: i64, %v: f32, %x: memref<?xf32>, %z: memref<13xf32>, %u: memref<*xf32>) {
  %t = gpu.wait async
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%ex = %n, %ey = %n, %ez = %n)
             dynamic_shared_memory_size %s module(@names) function(@name)
             workgroup(%w: memref<4xf32, 3>) private(%p: memref<2xf32, 5>) {
    memref.store %v, %x[%tx] : memref<?xf32>
    gpu.terminator
  } {foo}
  %t2 = gpu.launch async [%t] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%ex = %n, %ey = %n, %ez = %n) {
    gpu.terminator
  }
  %m, %t3 = gpu.alloc async [%t2] host_shared (%n) : memref<?xf32>
  %o = gpu.alloc () : memref<13xf32, 1>
  %t4 = gpu.memcpy async [%t3] %m, %x : memref<?xf32>, memref<?xf32>
  gpu.memcpy %o, %z : memref<13xf32, 1>, memref<13xf32>
  gpu.memset %m, %v : memref<?xf32>, f32
  %t5 = gpu.memset async [%t3, %t4] %m, %v : memref<?xf32>, f32
  gpu.host_register %u : memref<*xf32>
  gpu.host_unregister %u : memref<*xf32>
  gpu.set_default_device %s
  gpu.wait [%t4]
  %t6 = gpu.launch_func async [%t2, %t] @m::@f blocks in (%l, %l, %l) threads in (%l, %l, %l) : i64 dynamic_shared_memory_size %s args(%z : memref<13xf32>, %s : i32)
  gpu.launch_func @m::@h clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : i32)
  %t7 = gpu.dealloc async [%t6] %m : memref<?xf32>
  gpu.dealloc %o : memref<13xf32, 1>
  gpu.wait // Valid, but does nothing.
  func.return
}
