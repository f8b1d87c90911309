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
  %t = gpu.wait async
  gpu.wait [%t]
  gpu.launch_func @m::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<16xf32>)
  gpu.launch_func @other::@f blocks in (%n, %n, %n) threads in (%n, %n, %n)
  func.return
}

// -----

// Memory of the group and of the work-item; what the launch sizes is an argument.

// CHECK-LABEL: spmd.kernel @f(%x: memref<?xf32>, %c: memref<?xi8, #spmd.memory<local>>) {
// CHECK-NEXT:    %t = spmd.local_alloc : memref<16xf32, #spmd.memory<local>>
// CHECK-NEXT:    %p = memref.alloca() : memref<2xf32, #spmd.memory<private>>
// CHECK-NEXT:    %a = spmd.local_alloc : memref<4xf32, #spmd.memory<local>>
// CHECK-NEXT:    "test.op"(%t, %p, %c, %c, %a) : (memref<16xf32, #spmd.memory<local>>, memref<2xf32, #spmd.memory<private>>, memref<?xi8, #spmd.memory<local>>, memref<?xi8, #spmd.memory<local>>, memref<4xf32, #spmd.memory<local>>) -> ()
// CHECK-NEXT:    spmd.return
// CHECK-LABEL: func.func @main(%n: index, %x: memref<?xf32>, %l: i64, %bytes: i32)
// CHECK-NEXT:    %[[L0:.*]] = arith.index_cast %bytes : i32 to index
// CHECK-NEXT:    %[[L1:.*]] = arith.index_cast %l : i64 to index
// CHECK:         spmd.launch @f groups(%[[L1]], {{.*}}) of({{.*}}) (%x, local(%[[L0]])) : memref<?xf32>, memref<?xi8, #spmd.memory<local>>
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:    spmd.launch @f groups(%n, %n, %n) of(%n, %n, %n) (%x, local(%[[ZERO]])) : memref<?xf32>, memref<?xi8, #spmd.memory<local>>
gpu.module @m {
  gpu.func @f(%x: memref<?xf32, 1>) workgroup(%t: memref<16xf32, #gpu.address_space<workgroup>>) private(%p: memref<2xf32, 5>) kernel {
    %c = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %d = gpu.dynamic_shared_memory : memref<?xi8, 3>
    %a = memref.alloc() : memref<4xf32, 3>
    "test.op"(%t, %p, %c, %d, %a) : (memref<16xf32, #gpu.address_space<workgroup>>, memref<2xf32, 5>, memref<?xi8, #gpu.address_space<workgroup>>, memref<?xi8, 3>, memref<4xf32, 3>) -> ()
    gpu.return
  }
}
func.func @main(%n: index, %x: memref<?xf32>, %l: i64, %bytes: i32) {
  gpu.launch_func @m::@f blocks in (%l, %l, %l) threads in (%l, %l, %l) : i64 dynamic_shared_memory_size %bytes args(%x : memref<?xf32>)
  gpu.launch_func @m::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<?xf32>)
  func.return
}

// -----

// Constant sizes of the group on which all launches of a kernel agree are the kernel's.

// CHECK-LABEL: spmd.kernel @same() attributes {work_group_size = array<i64: 8, 4, 1>} {
// CHECK-LABEL: spmd.kernel @different() {
// CHECK-LABEL: spmd.kernel @any() {
// CHECK-LABEL: spmd.kernel @none() {
// CHECK-LABEL: spmd.kernel @empty() {
// CHECK-LABEL: spmd.kernel @given() attributes {work_group_size = array<i64: 16, 8, 8>} {
gpu.module @m {
  gpu.func @same() kernel {
    gpu.return
  }
  gpu.func @different() kernel {
    gpu.return
  }
  gpu.func @any() kernel {
    gpu.return
  }
  gpu.func @none() kernel {
    gpu.return
  }
  gpu.func @empty() kernel {
    gpu.return
  }
  gpu.func @given() kernel attributes {gpu.known_block_size = array<i32: 16, 8, 8>} {
    gpu.return
  }
}
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @m::@same blocks in (%n, %n, %n) threads in (%c8, %c4, %c1)
  gpu.launch_func @m::@same blocks in (%c1, %c1, %c1) threads in (%c8, %c4, %c1)
  gpu.launch_func @m::@different blocks in (%n, %n, %n) threads in (%c8, %c4, %c1)
  gpu.launch_func @m::@different blocks in (%n, %n, %n) threads in (%c4, %c8, %c1)
  gpu.launch_func @m::@any blocks in (%n, %n, %n) threads in (%c8, %c4, %c1)
  gpu.launch_func @m::@any blocks in (%n, %n, %n) threads in (%c8, %n, %c1)
  gpu.launch_func @m::@empty blocks in (%n, %n, %n) threads in (%c8, %c0, %c1)
  gpu.launch_func @m::@given blocks in (%n, %n, %n) threads in (%c8, %c4, %c1)
  func.return
}

// -----

// A launch is a kernel of what it uses from outside; it makes constants itself.

// CHECK-LABEL: spmd.kernel @main_kernel(%n: index, %v: f32, %x: memref<?xf32>) attributes {work_group_size = array<i64: 8, 4, 4>} {
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %by = spmd.group_id y
// CHECK-NEXT:    %tx = spmd.local_id x
// CHECK-NEXT:    %gz = spmd.num_groups z
// CHECK-NEXT:    %ex = spmd.enqueued_local_size x
// CHECK-NEXT:    %t = spmd.local_alloc : memref<16xf32, #spmd.memory<local>>
// CHECK-NEXT:    "test.op"(%by, %tx, %gz, %ex, %n, %c4, %t)
// CHECK-NEXT:    cf.br ^next(%n : index)
// CHECK-NEXT:  ^next(%i: index):
// CHECK-NEXT:    memref.store %v, %x[%i] : memref<?xf32>
// CHECK-NEXT:    spmd.return
// CHECK-LABEL: spmd.kernel @named() {
// CHECK-LABEL: func.func @main(%n: index, %x: memref<?xf32>, %v: f32)
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %c8 = arith.constant 8 : index
// CHECK-NEXT:    spmd.launch @main_kernel groups(%n, %n, %n) of(%c8, %c4, %c4) (%n, %v, %x) : index, f32, memref<?xf32>
// CHECK-NEXT:    spmd.launch @named groups(%n, %n, %n) of(%c8, %n, %c4) ()
// CHECK-NEXT:    func.return
func.func @main(%n: index, %x: memref<?xf32>, %v: f32) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %s = gpu.wait async
  %u = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%ex = %c8, %ey = %c4, %ez = %c4) workgroup(%t: memref<16xf32, 3>) {
    "test.op"(%by, %tx, %gz, %ex, %n, %c4, %t) : (index, index, index, index, index, index, memref<16xf32, 3>) -> ()
    cf.br ^next(%n : index)
  ^next(%i: index):
    memref.store %v, %x[%i] : memref<?xf32>
    gpu.terminator
  }
  gpu.wait [%u]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%ex = %c8, %ey = %n, %ez = %c4) function(@named) {
    gpu.terminator
  }
  func.return
}

// -----

// Memory of the host, in order; `gpu.host_register` goes, and the cast that it needs.

// CHECK-LABEL: func.func @host
// CHECK:         %m = memref.alloc(%n) : memref<?xf32>
// CHECK-NEXT:    memref.copy %x, %m : memref<?xf32> to memref<?xf32>
// CHECK:         %[[SIZE:.*]] = memref.dim %m
// CHECK-NEXT:    scf.for %[[I:.*]] = {{.*}} to %[[SIZE]] step
// CHECK-NEXT:      memref.store %v, %m[%[[I]]] : memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.dealloc %m : memref<?xf32>
// CHECK-NEXT:    func.return
func.func @host(%n: index, %x: memref<?xf32>, %v: f32, %device: i32) {
  %u = memref.cast %x : memref<?xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  gpu.host_unregister %u : memref<*xf32>
  gpu.set_default_device %device
  %t0 = gpu.wait async
  %m, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
  %t2 = gpu.memcpy async [%t1] %m, %x : memref<?xf32>, memref<?xf32>
  %t3 = gpu.memset async [%t2] %m, %v : memref<?xf32>, f32
  %t4 = gpu.dealloc async [%t3] %m : memref<?xf32>
  gpu.wait [%t4]
  func.return
}

// -----

// What is done together, and printing.

// CHECK-LABEL: spmd.kernel @f(%v: f32, %n: i32, %p: i1) attributes {sub_group_size = 32 : i64} {
// CHECK-NEXT:    spmd.reduce add %v across sub_group : f32
// CHECK-NEXT:    spmd.reduce min %n across sub_group : i32
// CHECK-NEXT:    %[[LANE:.*]] = spmd.lane_id
// CHECK-NEXT:    %[[HERE:.*]] = spmd.sub_group_size
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 2 : index
// CHECK-NEXT:    %[[OTHER:.*]] = arith.xori %[[LANE]], %[[ONE]] : index
// CHECK-NEXT:    %[[THERE:.*]] = arith.cmpi ult, %[[OTHER]], %[[HERE]] : index
// CHECK-NEXT:    %[[SOURCE:.*]] = arith.select %[[THERE]], %[[OTHER]], %[[LANE]] : index
// CHECK-NEXT:    %[[GOT:.*]] = spmd.shuffle idx %v, %[[SOURCE]] : f32
// CHECK-NEXT:    %[[BOTH:.*]] = arith.addf %v, %[[GOT]] : f32
// CHECK-NEXT:    arith.select %[[THERE]], %[[BOTH]], %v : f32
// CHECK-NEXT:    %[[LANE:.*]] = spmd.lane_id
// CHECK-NEXT:    %[[FIRST:.*]] = spmd.reduce minui %[[LANE]] across sub_group : index
// CHECK-NEXT:    spmd.broadcast %v from %[[FIRST]] across sub_group : f32
// CHECK-NEXT:    %[[LANE:.*]] = arith.index_cast %n : i32 to index
// CHECK-NEXT:    spmd.broadcast %v from %[[LANE]] across sub_group : f32
// CHECK-NEXT:    %[[BITS:.*]] = spmd.ballot %p : i64
// CHECK-NEXT:    arith.trunci %[[BITS]] : i64 to i32
// CHECK-NEXT:    %[[ISNAN:.*]] = arith.cmpf uno, %v, %v : f32
// CHECK-NEXT:    %[[INF:.*]] = arith.constant 0x7f800000 : f32
// CHECK-NEXT:    %[[NUMBER:.*]] = arith.select %[[ISNAN]], %[[INF]], %v : f32
// CHECK-NEXT:    %[[LEAST:.*]] = spmd.reduce min %[[NUMBER]] across work_group : f32
// CHECK-NEXT:    %[[NONE:.*]] = spmd.all %[[ISNAN]] across work_group
// CHECK-NEXT:    arith.select %[[NONE]], %v, %[[LEAST]] : f32
// CHECK-NEXT:    spmd.print "{:d} of {:.3f}"(%n, %v) : i32, f32
// CHECK-NEXT:    spmd.return
gpu.module @m {
  gpu.func @f(%v: f32, %n: i32, %p: i1) kernel {
    %a = gpu.subgroup_reduce add %v : (f32) -> f32
    %b = gpu.subgroup_reduce minsi %n uniform : (i32) -> i32
    %c = gpu.subgroup_reduce add %v cluster(size = 2, stride = 2) : (f32) -> f32
    %d = gpu.subgroup_broadcast %v, first_active_lane : f32
    %e = gpu.subgroup_broadcast %v, specific_lane %n : f32
    %g = gpu.ballot %p : i32
    %h = gpu.all_reduce minnumf %v {} : (f32) -> f32
    gpu.printf "%d of %.3f", %n, %v : i32, f32
    gpu.return
  }
}

// -----

// A region that is no op of `arith` is a loop over what all have.

// CHECK-LABEL: spmd.kernel @f(%v: f32)
// CHECK:         %[[FIRST:.*]] = spmd.broadcast %v from %{{.*}} across work_group : f32
// CHECK-NEXT:    %r = scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %[[FIRST]]) -> (f32) {
// CHECK-NEXT:      %[[B:.*]] = spmd.broadcast %v from %[[I]] across work_group : f32
// CHECK-NEXT:      %c = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      %d = arith.addf %c, %[[B]] : f32
// CHECK-NEXT:      scf.yield %d : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
gpu.module @m {
  gpu.func @f(%v: f32) kernel {
    %r = gpu.all_reduce %v {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      %d = arith.addf %c, %b : f32
      gpu.yield %d : f32
    } : (f32) -> f32
    gpu.return
  }
}

// -----

// Global memory has no memory space here, so that a cast from it to none is nothing.

// CHECK-LABEL: spmd.kernel @f
// CHECK-NOT:     memory_space_cast
// CHECK:         memref.store %v, %x[%c0]
gpu.module @m {
  gpu.func @f(%x: memref<4xf32, #gpu.address_space<global>>, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    %y = "memref.memory_space_cast"(%x) : (memref<4xf32, #gpu.address_space<global>>) -> memref<4xf32>
    memref.store %v, %y[%c0] : memref<4xf32>
    gpu.return
  }
}
