// RUN: xdsl-opt %s | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s -p linalg-to-parallel-loops | filecheck %s --check-prefix LOOPS

// Named ops are written as upstream writes them, and have its iterators.

// CHECK-LABEL: func.func @products
// CHECK-NEXT:    linalg.matvec ins(%a, %x : memref<4x8xf32>, memref<8xf32>) outs(%y : memref<4xf32>)
// CHECK-NEXT:    linalg.dot ins(%y, %y : memref<4xf32>, memref<4xf32>) outs(%s : memref<f32>)
// CHECK-NEXT:    linalg.tanh ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)

// LOOPS-LABEL: func.func @products
// LOOPS:         scf.parallel (%[[I:.*]]) = (%c0) to (%c4)
// LOOPS:           scf.for %[[J:.*]] = %c0 to %c8
// LOOPS-NEXT:        memref.load %a[%[[I]], %[[J]]]
// LOOPS-NEXT:        memref.load %x[%[[J]]]
// LOOPS:         scf.for %[[K:.*]] = %c0 to %c4
// LOOPS:         scf.parallel
// LOOPS:           math.tanh
func.func @products(%a: memref<4x8xf32>, %x: memref<8xf32>, %y: memref<4xf32>, %s: memref<f32>) {
  linalg.matvec ins(%a, %x : memref<4x8xf32>, memref<8xf32>) outs(%y : memref<4xf32>)
  linalg.dot ins(%y, %y : memref<4xf32>, memref<4xf32>) outs(%s : memref<f32>)
  linalg.tanh ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)
  func.return
}

// A window moves by its stride; without one, and without a dilation, by one place. Its elements
// are cast to the type of the output.

// CHECK-LABEL: func.func @windows
// CHECK-NEXT:    linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%x, %w : memref<1x9x2xi8>, memref<3x2x5xi8>) outs(%y : memref<1x4x5xi32>)
// CHECK-NEXT:    linalg.conv_1d_nwc_wcf ins(

// LOOPS-LABEL: func.func @windows
// LOOPS:         scf.parallel (%[[N:.*]], %[[W:.*]], %[[F:.*]]) = (%c0, %c0, %c0) to (%c1, %c4, %c5)
// LOOPS:           scf.for %[[K:.*]] = %c0 to %c3
// LOOPS:             scf.for %[[C:.*]] = %c0 to %c2
// LOOPS:               %[[TWO:.*]] = arith.constant 2 : index
// LOOPS-NEXT:          %[[AT:.*]] = arith.muli %[[W]], %[[TWO]]
// LOOPS-NEXT:          %[[PLACE:.*]] = arith.addi %[[AT]], %[[K]]
// LOOPS-NEXT:          memref.load %x[%[[N]], %[[PLACE]], %[[C]]]
// LOOPS-NEXT:          memref.load %w[%[[K]], %[[C]], %[[F]]]
// LOOPS-NEXT:          arith.extsi %{{.*}} : i8 to i32
func.func @windows(%x: memref<1x9x2xi8>, %w: memref<3x2x5xi8>, %y: memref<1x4x5xi32>, %z: memref<1x7x5xi32>) {
  linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%x, %w : memref<1x9x2xi8>, memref<3x2x5xi8>) outs(%y : memref<1x4x5xi32>)
  linalg.conv_1d_nwc_wcf ins(%x, %w : memref<1x9x2xi8>, memref<3x2x5xi8>) outs(%z : memref<1x7x5xi32>)
  func.return
}

// A pooling reads no element of its window.

// CHECK-LABEL: func.func @pooled
// CHECK-NEXT:    linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(

// LOOPS-LABEL: func.func @pooled
// LOOPS-NOT:     memref.load %window
// LOOPS:         arith.maximumf
func.func @pooled(%x: memref<1x8x8x3xf32>, %window: memref<2x2xf32>, %y: memref<1x4x4x3xf32>) {
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%x, %window : memref<1x8x8x3xf32>, memref<2x2xf32>) outs(%y : memref<1x4x4x3xf32>)
  func.return
}

// What xDSL has takes elements of other types too, and windows without strides.

// CHECK-LABEL: func.func @mixed
// CHECK-NEXT:    linalg.matmul ins(%a, %a : memref<8x8xi8>, memref<8x8xi8>) outs(%b : memref<8x8xi32>)

// LOOPS-LABEL: func.func @mixed
// LOOPS:         arith.extsi %{{.*}} : i8 to i32
// LOOPS:         arith.addi %{{.*}} : index
// LOOPS:         scf.parallel (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) = (%c0, %c0, %c0, %c0) to (%c1, %c3, %c3, %c2)
func.func @mixed(%a: memref<8x8xi8>, %b: memref<8x8xi32>, %n: memref<8xindex>, %x: memref<1x4x4x3xf32>, %w: memref<2x2x3x2xf32>, %y: memref<1x3x3x2xf32>) {
  linalg.matmul ins(%a, %a : memref<8x8xi8>, memref<8x8xi8>) outs(%b : memref<8x8xi32>)
  linalg.add ins(%n, %n : memref<8xindex>, memref<8xindex>) outs(%n : memref<8xindex>)
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<1x4x4x3xf32>, memref<2x2x3x2xf32>) outs(%y : memref<1x3x3x2xf32>)
  func.return
}
