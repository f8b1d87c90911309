// RUN: xdsl-opt %s --split-input-file --parsing-diagnostics --verify-diagnostics | filecheck %s

// CHECK: expected linalg.matvec to have 2 inputs and an output, got 1 and 1
func.func @inputs(%a: memref<4x8xf32>, %y: memref<4xf32>) {
  linalg.matvec ins(%a : memref<4x8xf32>) outs(%y : memref<4xf32>)
  func.return
}

// -----

// CHECK: expected operand #1 of rank 2 to match the result count of indexing_map #1, 1
func.func @rank(%a: memref<4x8xf32>, %y: memref<4xf32>) {
  linalg.matvec ins(%a, %a : memref<4x8xf32>, memref<4x8xf32>) outs(%y : memref<4xf32>)
  func.return
}

// -----

// CHECK: has shape's dimension #0 to be 8, but found 7
func.func @sizes(%a: memref<4x8xf32>, %x: memref<7xf32>, %y: memref<4xf32>) {
  linalg.matvec ins(%a, %x : memref<4x8xf32>, memref<7xf32>) outs(%y : memref<4xf32>)
  func.return
}

// -----

// CHECK: expected 1 strides, got 2
func.func @strides(%x: memref<1x9x2xf32>, %w: memref<3x2x5xf32>, %y: memref<1x4x5xf32>) {
  linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : memref<1x9x2xf32>, memref<3x2x5xf32>) outs(%y : memref<1x4x5xf32>)
  func.return
}

// -----

// CHECK: expected the reciprocal of floats, got i32
func.func @integers(%x: memref<9xi32>) {
  linalg.reciprocal ins(%x : memref<9xi32>) outs(%x : memref<9xi32>)
  func.return
}

// -----

// CHECK: expected an operation, got arith.nothing
func.func @unknown(%x: memref<9xi32>) {
  linalg.map { arith.nothing } ins(%x : memref<9xi32>) outs(%x : memref<9xi32>)
  func.return
}

// -----

// CHECK: expected 1 in outs, got 0
func.func @no_output(%x: memref<9xi32>) {
  linalg.map { arith.addi } ins(%x : memref<9xi32>)
  func.return
}

// -----

// CHECK: inferred input/output operand #1 has shape's dimension #0 to be 9, but found 8
func.func @other_size(%x: memref<9xf32>, %y: memref<8xf32>) {
  linalg.map { math.exp } ins(%x : memref<9xf32>) outs(%y : memref<8xf32>)
  func.return
}
