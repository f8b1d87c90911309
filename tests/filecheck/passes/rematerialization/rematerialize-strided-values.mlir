// RUN: xdsl-opt %s -p rematerialize-strided-values --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p rematerialize-strided-values,rematerialize-strided-values --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p rematerialize-strided-values,hoist-ids,split-at-barriers --split-input-file | filecheck %s --check-prefix KEPT

// Work-items advance by the size of the range: what they have in common is a number of
// groups. None of them has to keep where it is.

// CHECK-LABEL: spmd.kernel @grid
// CHECK:         %local_x = spmd.local_id x
// CHECK:         [[FIRST:%.*]] = arith.muli
// CHECK-NEXT:    {{%.*}} = scf.while (%i_base = [[FIRST]]) : (index) -> index {
// CHECK-NEXT:      %i = arith.addi %i_base, %local_x : index
// CHECK-NEXT:      [[MORE:%.*]] = arith.cmpi slt, %i, %n : index
// CHECK-NEXT:      scf.condition([[MORE]]) %i_base : index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%i_base_1: index):
// CHECK-NEXT:      %i_1 = arith.addi %i_base_1, %local_x : index
// CHECK-NEXT:      "test.op"(%i_1) : (index) -> ()
// CHECK-NEXT:      spmd.barrier
// CHECK-NEXT:      "test.op"(%i_1) : (index) -> ()
// CHECK-NEXT:      spmd.barrier
// CHECK-NEXT:      [[NEXT:%.*]] = arith.addi %i_base_1, %all : index
// CHECK-NEXT:      scf.yield [[NEXT]] : index

// KEPT-LABEL: spmd.kernel @grid
// KEPT-NOT:     memref<64xindex>
spmd.kernel @grid(%n: index) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %all = spmd.global_size x
  scf.for %i = %gid to %n step %all {
    "test.op"(%i) : (index) -> ()
    spmd.barrier
    "test.op"(%i) : (index) -> ()
    spmd.barrier
  }
  spmd.return
}

// -----

// What is added to an id is what work-items have in common.

// CHECK-LABEL: spmd.kernel @from_a_sum
// CHECK:         scf.while (%i_base = %n) : (index) -> index {
// CHECK-NEXT:      %i = arith.addi %i_base, %local_x : index
spmd.kernel @from_a_sum(%n: index, %m: index) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %start = arith.addi %lid, %n : index
  %c64 = arith.constant 64 : index
  scf.for %i = %start to %m step %c64 {
    "test.op"(%i) : (index) -> ()
    spmd.barrier
    "test.op"(%i) : (index) -> ()
    spmd.barrier
  }
  spmd.return
}

// -----

// What is subtracted from an id is so with its sign.

// CHECK-LABEL: spmd.kernel @from_a_difference
// CHECK:         [[FIRST:%.*]] = arith.subi %{{.*}}, %n : index
// CHECK-NEXT:    {{%.*}} = scf.while (%i_base = [[FIRST]]) : (index) -> index {
// CHECK-NEXT:      %i = arith.addi %i_base, %local_x : index
spmd.kernel @from_a_difference(%n: index, %m: index) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %start = arith.subi %lid, %n : index
  %c64 = arith.constant 64 : index
  scf.for %i = %start to %m step %c64 {
    "test.op"(%i) : (index) -> ()
    spmd.barrier
    "test.op"(%i) : (index) -> ()
    spmd.barrier
  }
  spmd.return
}

// -----

// Another type, another stride, and a difference that is no sum of ids.

// KEPT-LABEL: spmd.kernel @narrow
// KEPT-NOT:     memref<64xi32>
// KEPT-LABEL: spmd.kernel @nothing

// CHECK-LABEL: spmd.kernel @narrow
// CHECK:         [[BY3:%.*]] = arith.muli %local_x, %cm3 : index
// CHECK-NEXT:    [[MULTIPLE:%.*]] = arith.index_cast [[BY3]] : index to i32
// CHECK:         [[FIRST:%.*]] = arith.subi %start, [[MULTIPLE]] : i32
// CHECK:         %r_base = scf.for %i = %c0 to %n step %c1 iter_args(%a_base = [[FIRST]]) -> (i32) {
// CHECK-NEXT:      %a = arith.addi %a_base, [[MULTIPLE]] : i32
// CHECK-NEXT:      spmd.barrier
// CHECK-NEXT:      "test.op"(%a) : (i32) -> ()
// CHECK-NEXT:      [[NEXT:%.*]] = arith.addi %a_base, %v : i32
// CHECK-NEXT:      scf.yield [[NEXT]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = arith.addi %r_base, [[MULTIPLE]] : i32
spmd.kernel @narrow(%n: index, %v: i32) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm3 = arith.constant -3 : i32
  %lid = spmd.local_id x
  %k = arith.index_cast %lid : index to i32
  %start = arith.muli %k, %cm3 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %start) -> (i32) {
    spmd.barrier
    "test.op"(%a) : (i32) -> ()
    %next = arith.addi %a, %v : i32
    scf.yield %next : i32
  }
  "test.op"(%r) : (i32) -> ()
  spmd.return
}

// -----

// Nothing to do: no barrier, what all have in common, and what nothing is known of.

// CHECK-LABEL: spmd.kernel @nothing
// CHECK:         scf.for %i = %lid to %n step %c1 iter_args(%a = %lid) -> (index)
// CHECK:         scf.for %i_1 = %c0 to %n step %c1 iter_args(%a_1 = %c0, %b = %v) -> (index, index)
spmd.kernel @nothing(%n: index, %x: memref<?xindex>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %v = memref.load %x[%lid] : memref<?xindex>
  %r = scf.for %i = %lid to %n step %c1 iter_args(%a = %lid) -> (index) {
    %next = arith.addi %a, %c1 : index
    scf.yield %next : index
  }
  "test.op"(%r) : (index) -> ()
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %v) -> (index, index) {
    spmd.barrier
    %next = arith.addi %a, %i : index
    %other = arith.addi %b, %i : index
    scf.yield %next, %other : index, index
  }
  "test.op"(%s#0, %s#1) : (index, index) -> ()
  spmd.return
}
