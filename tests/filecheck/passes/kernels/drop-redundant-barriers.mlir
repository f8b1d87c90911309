// RUN: xdsl-opt %s -p hoist-ids,drop-redundant-barriers --split-input-file | filecheck %s

// First and last: nothing to order. Each work-item its own element. Only reads.

// CHECK-LABEL: spmd.kernel @redundant
// CHECK-SAME:    spmd.dropped_barriers = [
// CHECK-SAME:      mlir:{{[0-9]+}}:3: nothing that work-items share is accessed before it",
// CHECK-SAME:      mlir:{{[0-9]+}}:3: each work-item accesses only its own elements of %tile",
// CHECK-SAME:      mlir:{{[0-9]+}}:3: what is written on one side of it is not accessed on the other",
// CHECK-SAME:      mlir:{{[0-9]+}}:3: nothing that work-items share is accessed after it"]
// CHECK-NOT:     spmd.barrier
spmd.kernel @redundant(%x: memref<?xf32>, %y: memref<?xf32> {spmd.noalias}) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %p = memref.alloca() : memref<1xf32>
  spmd.barrier
  %v = memref.load %x[%gid] : memref<?xf32>
  memref.store %v, %tile[%lid] : memref<64xf32, #spmd.memory<local>>
  memref.store %v, %p[%c0] : memref<1xf32>
  spmd.barrier
  %w = memref.load %tile[%lid] : memref<64xf32, #spmd.memory<local>>
  %u = memref.load %p[%c0] : memref<1xf32>
  %s = arith.addf %w, %u : f32
  spmd.barrier
  memref.store %s, %y[%gid] : memref<?xf32>
  spmd.barrier
  spmd.return
}

// -----

// Two in a row: one goes.

// CHECK-LABEL: spmd.kernel @twice
// CHECK-COUNT-1: spmd.barrier
// CHECK-NOT:     spmd.barrier
// CHECK:         spmd.return
spmd.kernel @twice(%x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %lid = spmd.local_id x
  %v = memref.load %x[%c0] : memref<?xf32>
  spmd.barrier
  spmd.barrier
  memref.store %v, %x[%lid] : memref<?xf32>
  spmd.return
}

// -----

// Around a loop, the code after a barrier is before it as well; an index that
// changes in the loop is not a work-item's own.

// CHECK-LABEL: spmd.kernel @loop
// CHECK-COUNT-2: spmd.barrier
// CHECK-NOT:     spmd.barrier
// CHECK:         spmd.return
spmd.kernel @loop(%n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %one = arith.constant 1.0 : f32
  %tile = spmd.local_alloc : memref<256xf32, #spmd.memory<local>>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %lid, %i : index
    %v = memref.load %tile[%j] : memref<256xf32, #spmd.memory<local>>
    spmd.barrier
    memref.store %v, %tile[%j] : memref<256xf32, #spmd.memory<local>>
    spmd.barrier
  }
  spmd.return
}

// -----

// A collective orders no memory: the barrier before it stays.

// CHECK-LABEL: spmd.kernel @collective
// CHECK:         spmd.barrier
spmd.kernel @collective(%x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %lid = spmd.local_id x
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%lid] : memref<?xf32>
  spmd.barrier
  %s = spmd.reduce add %one across work_group : f32
  %v = memref.load %x[%c0] : memref<?xf32>
  "test.op"(%s, %v) : (f32, f32) -> ()
  spmd.return
}

// -----

// Not the same element in all dimensions; atomics; memory that may overlap.

// CHECK-LABEL: spmd.kernel @rows
// CHECK:         spmd.barrier
spmd.kernel @rows(%x: memref<?xf32>) attributes {work_group_size = array<i64: 8, 8>} {
  %lid = spmd.local_id x
  %v = memref.load %x[%lid] : memref<?xf32>
  spmd.barrier
  memref.store %v, %x[%lid] : memref<?xf32>
  spmd.return
}
// CHECK-LABEL: spmd.kernel @atomics
// CHECK:         spmd.barrier
spmd.kernel @atomics(%x: memref<?xi32>, %y: memref<?xi32> {spmd.noalias}, %v: i32) attributes {work_group_size = array<i64: 8>} {
  %lid = spmd.local_id x
  %old = spmd.atomic_rmw add %v, %x[%lid] : memref<?xi32>
  spmd.barrier
  memref.store %old, %y[%lid] : memref<?xi32>
  spmd.return
}
// CHECK-LABEL: spmd.kernel @overlap
// CHECK:         spmd.barrier
spmd.kernel @overlap(%x: memref<?xf32>, %y: memref<?xf32>) attributes {work_group_size = array<i64: 8>} {
  %lid = spmd.local_id x
  %v = memref.load %x[%lid] : memref<?xf32>
  spmd.barrier
  memref.store %v, %y[%lid] : memref<?xf32>
  spmd.return
}

// -----

// A barrier orders what reads a clock, whatever memory is accessed.

// CHECK-LABEL: spmd.kernel @clocks
// CHECK:         spmd.barrier
spmd.kernel @clocks(%start: memref<?xi64> {spmd.noalias}, %end: memref<?xi64> {spmd.noalias}) attributes {work_group_size = array<i64: 8>} {
  %i = spmd.global_id x
  %before = spmd.clock
  memref.store %before, %start[%i] : memref<?xi64>
  spmd.barrier
  %after = spmd.clock
  memref.store %after, %end[%i] : memref<?xi64>
  spmd.return
}
