// RUN: xdsl-opt %s -p form-sub-groups{width=4} | filecheck %s

// Why a loop stays scalar, whatever lanes would cost.

// CHECK-LABEL: func.func @counter
// CHECK:         spmd.not_vectorized = "its work-items are counted in i32, not in index"
func.func @counter(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %lx = %c0 to %n step %c1 : i32 {
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// CHECK-LABEL: func.func @private_arrays
// CHECK:         spmd.not_vectorized = "a private array has the layout strided<[2]>"
// CHECK:         spmd.not_vectorized = "a private array has elements of type vector<2xf32>"
func.func @private_arrays(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %a = memref.alloca() : memref<4xf32, strided<[2]>>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    %a = memref.alloca() : memref<4xvector<2xf32>>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// CHECK-LABEL: func.func @chosen_arrays
// CHECK:         spmd.not_vectorized = "an array comes out of scf.if"
// CHECK:         spmd.not_vectorized = "an array comes out of scf.for"
func.func @chosen_arrays(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %either = scf.if %p -> (memref<?xf32>) {
    scf.yield %x : memref<?xf32>
  } else {
    scf.yield %y : memref<?xf32>
  }
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %either[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  %a, %b = scf.for %k = %c0 to %n step %c1 iter_args(%from = %x, %to = %y) -> (memref<?xf32>, memref<?xf32>) {
    scf.for %lx = %c0 to %n step %c1 {
      %v = memref.load %from[%lx] : memref<?xf32>
    } {spmd.work_items = array<i64: 0>}
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @control
// CHECK:         spmd.not_vectorized = "scf.if has a result of type vector<2xf32>"
// CHECK:         spmd.not_vectorized = "scf.while carries a value of type vector<2xf32>"
// CHECK:         spmd.not_vectorized = "sub-group operations stand in memref.alloca_scope"
func.func @control(%n: index, %v: vector<2xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %w = scf.if %p -> (vector<2xf32>) {
      scf.yield %v : vector<2xf32>
    } else {
      scf.yield %v : vector<2xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    scf.while (%w = %v) : (vector<2xf32>) -> () {
      scf.condition(%p)
    } do {
      scf.yield %v : vector<2xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    "memref.alloca_scope"() ({
      %some = spmd.any %p across sub_group
      "memref.alloca_scope.return"() : () -> ()
    }) : () -> ()
  } {spmd.work_items = array<i64: 0>}
  func.return
}
