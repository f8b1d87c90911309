// RUN: xdsl-opt %s | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt | filecheck %s

// One op in braces stands for a region; what has been reduced is its first operand.

// CHECK-LABEL: func.func @short
// CHECK-NEXT:    linalg.map ins(%x, %y : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
// CHECK-NEXT:    (%[[A:.*]]: f32, %[[B:.*]]: f32) {
// CHECK-NEXT:      %[[C:.*]] = arith.addf %[[A]], %[[B]] fastmath<fast> : f32
// CHECK-NEXT:      linalg.yield %[[C]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    linalg.reduce ins(%a:memref<8x8xf32>) outs(%x:memref<8xf32>) dimensions = [1]
// CHECK-NEXT:    (%[[D:.*]]: f32, %[[E:.*]]: f32) {
// CHECK-NEXT:      %[[F:.*]] = arith.subf %[[E]], %[[D]] : f32
func.func @short(%a: memref<8x8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.map { arith.addf {fastmath = #arith.fastmath<fast>} } ins(%x, %y : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  linalg.reduce { arith.subf } ins(%a : memref<8x8xf32>) outs(%x : memref<8xf32>) dimensions = [1]
  func.return
}

// An argument for the output may be there; it is written where it is used.

// CHECK-LABEL: func.func @long
// CHECK-NEXT:    linalg.map outs(%x : memref<8xf32>)
// CHECK-NEXT:    () {
// CHECK:         linalg.map ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
// CHECK-NEXT:    (%[[A:.*]]: f32) {
// CHECK:         linalg.map ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
// CHECK-NEXT:    (%[[B:.*]]: f32, %[[C:.*]]: f32) {
// CHECK-NEXT:      arith.addf %[[B]], %[[C]]
func.func @long(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.map outs(%x : memref<8xf32>)
    () {
      %one = arith.constant 1.0 : f32
      linalg.yield %one : f32
    }
  linalg.map ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    (%p: f32, %unused: f32) {
      %e = math.exp %p : f32
      linalg.yield %e : f32
    }
  linalg.map ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    (%p: f32, %q: f32) {
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
  func.return
}
