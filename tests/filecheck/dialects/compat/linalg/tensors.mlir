// RUN: xdsl-opt %s | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt | filecheck %s

// On tensors, outputs are results; only passes want memrefs.

// CHECK-LABEL: func.func @tensors
// CHECK-NEXT:    %{{.*}} = linalg.vecmat ins(%x, %a : tensor<4xf32>, tensor<4x8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %{{.*}} = linalg.map ins(%{{.*}} : tensor<8xf32>) outs(%y : tensor<8xf32>)
func.func @tensors(%a: tensor<4x8xf32>, %x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %z = linalg.vecmat ins(%x, %a : tensor<4xf32>, tensor<4x8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.map { math.exp } ins(%z : tensor<8xf32>) outs(%y : tensor<8xf32>)
  func.return %r : tensor<8xf32>
}
