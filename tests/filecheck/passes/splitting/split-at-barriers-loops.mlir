// RUN: xdsl-opt %s -p 'hoist-ids,split-at-barriers{strategy=fission}' --split-input-file | filecheck %s

// Each work-item counts by itself, although the bounds are the same: the steps may differ.

// CHECK-LABEL: spmd.kernel @step_of_each
// CHECK:         memref.store %step, %step_context[%lx] : memref<64xindex>
// CHECK:         scf.while () : () -> () {
// CHECK:           %k = memref.load %k_context[%lx_1] : memref<64xindex>
// CHECK:           [[NEXT:%\w+]] = arith.addi %k_1, %step_1 : index
// CHECK-NEXT:      %left = arith.subi %c8, %k_1 : index
// CHECK-NEXT:      %fits = arith.cmpi ugt, %left, %step_1 : index
// CHECK-NEXT:      [[COUNT:%\w+]] = arith.select %fits, [[NEXT]], %c8 : index
// CHECK-NEXT:      memref.store [[COUNT]], %k_context[%lx_3] : memref<64xindex>
spmd.kernel @step_of_each(%s: memref<?xindex>, %x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i = spmd.global_id x
  %step = memref.load %s[%i] : memref<?xindex>
  scf.for %k = %c0 to %c8 step %step {
    %v = memref.load %x[%i] : memref<?xi32>
    spmd.barrier
    memref.store %v, %x[%k] : memref<?xi32>
  }
  spmd.return
}

// -----

// The next value cannot lie where the last one is that is needed after the barrier: it is
// computed again rather than stored a second time.

// CHECK-LABEL: spmd.kernel @both_needed
// CHECK-NOT:     next_context
// CHECK:         %next = arith.muli %b_1, %a_1 : i32
// CHECK-NEXT:    [[SUM:%\w+]] = arith.addi %a_1, %b_1 : i32
// CHECK-NEXT:    memref.store [[SUM]], %x
// CHECK-NEXT:    memref.store %next, %a_context
spmd.kernel @both_needed(%n: index, %x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {
    %b = memref.load %x[%i] : memref<?xi32>
    %next = arith.muli %b, %a : i32
    spmd.barrier
    %s = arith.addi %a, %b : i32
    memref.store %s, %x[%i] : memref<?xi32>
    scf.yield %next : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}

// -----

// What the next region uses is not stored where it is computed, but where it is forwarded.

// CHECK-LABEL: spmd.kernel @used_and_forwarded
// CHECK:         %b = arith.addi %a, %one : i32
// CHECK-NEXT:    memref.store %b, %x
// CHECK-NEXT:  } {spmd.work_items = array<i64: 0>}
// CHECK:         %b_1 = arith.addi %a_1, %one : i32
// CHECK:         memref.store %b_1, %a_context
spmd.kernel @used_and_forwarded(%x: memref<?xi32>, %n: index) attributes {work_group_size = array<i64: 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {
    %b = arith.addi %a, %one : i32
    memref.store %b, %x[%gid] : memref<?xi32>
    spmd.barrier
    %w = memref.load %x[%i] : memref<?xi32>
    spmd.barrier
    %u = arith.addi %b, %w : i32
    memref.store %u, %x[%gid] : memref<?xi32>
    scf.yield %b : i32
  }
  memref.store %r, %x[%gid] : memref<?xi32>
  spmd.return
}
