// RUN: xdsl-opt %s -p linalg-to-parallel-loops --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p linalg-to-parallel-loops,linalg-to-parallel-loops --split-input-file --verify-diagnostics | filecheck %s

// What is summed up is a value of the inner loop.

// CHECK-LABEL: func.func @product
// CHECK:         %[[M:.*]] = memref.dim %a, %c0
// CHECK-NEXT:    %[[N:.*]] = memref.dim %b, %c1
// CHECK-NEXT:    %[[K:.*]] = memref.dim %a, %c1
// CHECK-NEXT:    scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c0, %c0) to (%[[M]], %[[N]]) step (%c1, %c1) {
// CHECK-NEXT:      %[[FIRST:.*]] = memref.load %c[%[[I]], %[[J]]]
// CHECK-NEXT:      %[[LAST:.*]] = scf.for %[[L:.*]] = %c0 to %[[K]] step %c1 iter_args(%[[SUM:.*]] = %[[FIRST]]) -> (f32) {
// CHECK-NEXT:        memref.load %a[%[[I]], %[[L]]]
// CHECK-NEXT:        memref.load %b[%[[L]], %[[J]]]
// CHECK:             scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %[[LAST]], %c[%[[I]], %[[J]]]
// CHECK-NEXT:      scf.reduce
func.func @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  func.return
}

// -----

// Maps are index arithmetic; an output that is not read is not loaded.

// CHECK-LABEL: func.func @shifted
// CHECK:         scf.parallel (%[[I:.*]]) = (%c0) to (%c62) step (%c1) {
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK-NEXT:      %[[V:.*]] = memref.load %x[%[[NEXT]]]
// CHECK-NEXT:      memref.store %[[V]], %y[%[[I]]]
func.func @shifted(%x: memref<64xf32>, %y: memref<62xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i + 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<62xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }
  func.return
}

// -----

// CHECK: expected linalg.add on memrefs, got tensors: bufferize them first
func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
