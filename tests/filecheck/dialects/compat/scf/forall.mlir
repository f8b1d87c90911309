// RUN: xdsl-opt %s | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s

// CHECK-LABEL: func.func @f
func.func @f(%x: memref<?x?xf32>, %n: index, %m: index, %v: f32) {
  // CHECK:      scf.forall (%i, %j) in (%n, 16) {
  // CHECK-NEXT:   memref.store
  // CHECK-NEXT: } {mapping = ["x", "y"]}
  scf.forall (%i, %j) in (%n, 16) {
    memref.store %v, %x[%i, %j] : memref<?x?xf32>
  } {mapping = ["x", "y"]}
  // CHECK:      scf.forall (%i_1, %j_1) = (0, %m) to (%n, 8) step (1, 2) {
  // CHECK-NEXT:   memref.store
  // CHECK-NEXT: } {tag = 3 : i64}
  scf.forall (%i, %j) = (0, %m) to (%n, 8) step (1, 2) {
    memref.store %v, %x[%i, %j] : memref<?x?xf32>
    scf.forall.in_parallel {
    }
  } {tag = 3 : i64}
  // CHECK:      scf.forall (%k) in (%n) {
  // CHECK-NEXT: }
  scf.forall (%k) = (0) to (%n) step (1) {
  }
  func.return
}
