// RUN: xdsl-opt %s -p forget-unasked-values --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p forget-unasked-values,forget-unasked-values --split-input-file | filecheck %s

// Where %again does not hold nobody asks for %k, but after the loop for %last.

// CHECK-LABEL: func.func @flag
// CHECK:           %both = arith.select %on, %more, %{{.*}} : i1
// CHECK:           scf.if %hit -> (index, index, i1) {
// CHECK-NEXT:        %undefined = ub.poison : index
// CHECK-NEXT:        scf.yield %undefined, %{{.*}}, %false : index, index, i1
// CHECK-NEXT:      } else {
// CHECK:             scf.if %far -> (index, i1) {
// CHECK-NEXT:          %undefined_1 = ub.poison : index
// CHECK-NEXT:          scf.yield %undefined_1, %false : index, i1
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %next, %true : index, i1
func.func @flag(%n: index, %m: index, %x: memref<?xi1>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %0, %r, %1 = scf.while (%k = %c0, %last = %c0, %on = %true) : (index, index, i1) -> (index, index, i1) {
    %more = arith.cmpi slt, %k, %n : index
    %both = arith.andi %more, %on : i1
    scf.condition(%both) %k, %last, %on : index, index, i1
  } do {
  ^bb0(%k: index, %last: index, %on: i1):
    %hit = memref.load %x[%k] : memref<?xi1>
    %a, %b, %c = scf.if %hit -> (index, index, i1) {
      scf.yield %k, %k, %false : index, index, i1
    } else {
      %next = arith.addi %k, %c1 : index
      %far = arith.cmpi sgt, %next, %m : index
      %d, %e = scf.if %far -> (index, i1) {
        scf.yield %k, %false : index, i1
      } else {
        scf.yield %next, %true : index, i1
      }
      scf.yield %d, %last, %e : index, index, i1
    }
    scf.yield %a, %b, %c : index, index, i1
  }
  func.return %r : index
}

// -----

// The division is asked for its effect: poison would trap.

// CHECK-LABEL: func.func @asked
// CHECK-NOT:     ub.poison
func.func @asked(%n: index, %x: memref<?xi1>) {
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %0, %1 = scf.while (%k = %c1, %on = %true) : (index, i1) -> (index, i1) {
    %q = arith.divui %n, %k : index
    %more = arith.cmpi ugt, %q, %c1 : index
    %both = arith.andi %more, %on : i1
    scf.condition(%both) %k, %on : index, i1
  } do {
  ^bb0(%k: index, %on: i1):
    %hit = memref.load %x[%k] : memref<?xi1>
    %a, %b = scf.if %hit -> (index, i1) {
      scf.yield %n, %false : index, i1
    } else {
      %next = arith.addi %k, %c1 : index
      scf.yield %next, %true : index, i1
    }
    scf.yield %a, %b : index, i1
  }
  func.return
}
