// RUN: xdsl-opt %s -p expand-ops | filecheck %s
// RUN: xdsl-opt %s -p expand-ops,expand-ops | filecheck %s
// RUN: xdsl-opt %s -p parallel-loops-to-kernels | filecheck %s --check-prefix KERNELS

// What is inside comes first; bounds that are numbers become constants.

// CHECK-LABEL: func.func @nest
// CHECK:         scf.parallel (%i) = (%low) to (%n) step
// CHECK:           scf.parallel (%j, %k) =
// CHECK-SAME:          (%[[ZERO:.*]], %[[ZERO]]) to (%[[EIGHT:.*]], %i) step (%[[ONE:.*]], %[[ONE]])
// CHECK-NEXT:        memref.store %v, %x[%j, %k]
// CHECK-NEXT:        scf.reduce
// CHECK:           scf.reduce
// CHECK-NOT:     scf.forall
// CHECK:         func.return

// KERNELS:       spmd.kernel @nest_loop
// KERNELS:       spmd.launch @nest_loop
func.func @nest(%x: memref<?x?xf32>, %low: index, %n: index, %v: f32) {
  scf.forall (%i) = (%low) to (%n) step (2) {
    scf.forall (%j, %k) in (8, %i) {
      memref.store %v, %x[%j, %k] : memref<?x?xf32>
    }
  }
  func.return
}

// An op that is short for nothing stays.

// CHECK-LABEL: func.func @other
// CHECK-NEXT:    "test.op"() : () -> ()
// CHECK-NEXT:    func.return
func.func @other() {
  "test.op"() : () -> ()
  func.return
}
