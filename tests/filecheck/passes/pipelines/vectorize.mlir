// RUN: xdsl-opt %s -p spmd-to-loops,vectorize{width=8} | filecheck %s
// RUN: xdsl-opt %s -p spmd-to-loops,vectorize{width=1} | filecheck %s --check-prefix SCALAR
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize' | filecheck %s --check-prefix AUTO
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=12}' --verify-diagnostics | filecheck %s --check-prefix BAD

// CHECK-LABEL: func.func @collatz
// CHECK-NOT:     spmd.sub_group
// CHECK-NOT:     spmd.masked
// CHECK:         scf.while
// CHECK:         vector<8xi32>
// CHECK:         vector.reduction <or>
// CHECK:         vector.store
// CHECK:         vector.maskedstore
// CHECK-NOT:     not_vectorized

// SCALAR:        } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "the width is 1"}
// AUTO:          vector.store
// BAD:           expected a width that is auto or a power of two from 1 to 64, got 12
spmd.kernel @collatz(%x: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %i = spmd.global_id x
  %start = memref.load %x[%i] : memref<?xi32>
  %a, %steps = scf.while (%a = %start, %k = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %a, %one : i32
    scf.condition(%more) %a, %k : i32, i32
  } do {
  ^bb0(%a: i32, %k: i32):
    %low = arith.andi %a, %one : i32
    %odd = arith.cmpi ne, %low, %zero : i32
    %next = scf.if %odd -> (i32) {
      %t = arith.muli %a, %three : i32
      %u = arith.addi %t, %one : i32
      scf.yield %u : i32
    } else {
      %h = arith.shrui %a, %one : i32
      scf.yield %h : i32
    }
    %k1 = arith.addi %k, %one : i32
    scf.yield %next, %k1 : i32, i32
  }
  memref.store %steps, %x[%i] : memref<?xi32>
  spmd.return
}
