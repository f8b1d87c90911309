// RUN: xdsl-opt %s -p unroll-group-loops --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p unroll-group-loops,unroll-group-loops --split-input-file | filecheck %s

// Half as many work-items in each iteration.

// CHECK-LABEL: func.func @tree
// CHECK-NOT:     scf.while
// CHECK:         scf.for %lx = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %j = arith.addi %lx, %c4 : index
// CHECK-NEXT:      "test.op"(%lx, %j)
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    scf.for %lx_1 = %c0 to %c2 step %c1 {
// CHECK-NEXT:      %j_1 = arith.addi %lx_1, %c2 : index
// CHECK-NEXT:      "test.op"(%lx_1, %j_1)
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    scf.for %lx_2 = %c0 to %c1 step %c1 {
// CHECK-NEXT:      %j_2 = arith.addi %lx_2, %c1 : index
// CHECK-NEXT:      "test.op"(%lx_2, %j_2)
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    "test.op"(%c0)
func.func @tree() attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %last = scf.while (%s = %c4) : (index) -> index {
    %more = arith.cmpi ugt, %s, %c0 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%t: index):
    scf.for %lx = %c0 to %t step %c1 {
      %j = arith.addi %lx, %t : index
      "test.op"(%lx, %j) : (index, index) -> ()
    } {spmd.work_items = array<i64: 0>}
    %half = arith.shrui %t, %c1 : index
    scf.yield %half : index
  }
  "test.op"(%last) : (index) -> ()
  func.return
}

// -----

// What a counted loop carries and what is not known go from one iteration to the next.

// CHECK-LABEL: func.func @carried
// CHECK:         %sum = arith.addi %n, %c0_i32 : i32
// CHECK-NEXT:    scf.for %lx = %c0 to %c1 step %c1 {
// CHECK-NEXT:      "test.op"(%lx, %sum)
// CHECK:         %sum_1 = arith.addi %sum, %c1_i32 : i32
// CHECK-NEXT:    scf.for %lx_1 = %c0 to %c1 step %c1 {
// CHECK-NEXT:      "test.op"(%lx_1, %sum_1)
// CHECK:         %sum_2 = arith.addi %sum_1, %c2_i32 : i32
// CHECK-NEXT:    scf.for %lx_2 = %c0 to %c2 step %c1 {
// CHECK-NEXT:      "test.op"(%lx_2, %sum_2)
// CHECK:         "test.op"(%sum_2)
func.func @carried(%n: i32) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %n) -> (i32) {
    %i32 = arith.index_cast %i : index to i32
    %sum = arith.addi %a, %i32 : i32
    %most = arith.maxui %i, %c1 : index
    scf.for %lx = %c0 to %most step %c1 {
      "test.op"(%lx, %sum) : (index, i32) -> ()
    } {spmd.work_items = array<i64: 0>}
    scf.yield %sum : i32
  }
  "test.op"(%r) : (i32) -> ()
  func.return
}

// -----

// A loop around a loop whose start it knows.

// CHECK-LABEL: func.func @nested
// CHECK-COUNT-6: spmd.work_items
// CHECK-NOT:     spmd.work_items
func.func @nested() attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c1 to %c4 step %c1 {
    scf.for %k = %c0 to %i step %c1 {
      %end = arith.addi %k, %c1 : index
      scf.for %lx = %c0 to %end step %c1 {
        "test.op"(%i, %k, %lx) : (index, index, index) -> ()
      } {spmd.work_items = array<i64: 0>}
    }
  }
  func.return
}

// -----

// Not: as many work-items in each iteration, an unknown number of iterations, or too many.

// CHECK-LABEL: func.func @as_before
// CHECK:         scf.for %i = %c0 to %c4
// CHECK:         scf.for %i_1 = %c0 to %n
// CHECK:         scf.for %i_2 = %c0 to %c1000
// CHECK:         scf.while
func.func @as_before(%n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %lx = %c0 to %n step %c1 {
      "test.op"(%i, %lx) : (index, index) -> ()
    } {spmd.work_items = array<i64: 0>}
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.for %lx = %c0 to %i step %c1 {
      "test.op"(%i, %lx) : (index, index) -> ()
    } {spmd.work_items = array<i64: 0>}
  }
  scf.for %i = %c0 to %c1000 step %c1 {
    scf.for %lx = %c0 to %i step %c1 {
      "test.op"(%i, %lx) : (index, index) -> ()
    } {spmd.work_items = array<i64: 0>}
  }
  scf.while (%s = %c1) : (index) -> () {
    %goes_on = "test.op"(%s) : (index) -> i1
    scf.condition(%goes_on)
  } do {
  ^bb0:
    %m = "test.op"() : () -> index
    scf.for %lx = %c0 to %m step %c1 {
      "test.op"(%lx) : (index) -> ()
    } {spmd.work_items = array<i64: 0>}
    scf.yield %m : index
  }
  func.return
}
