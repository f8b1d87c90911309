// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

func.func @select_of_another_shape(%m: vector<8xi1>, %x: vector<4xf32>) {
  %0 = arith.select %m, %x, %x : vector<8xi1>, vector<4xf32>
  func.return
}
// CHECK: 'arith.select' expected operands and results of one shape, got vector<8xi1> and vector<4xf32>

// -----

func.func @cast_of_another_shape(%x: vector<4xf32>) {
  %0 = arith.fptosi %x : vector<4xf32> to vector<8xi32>
  func.return
}
// CHECK: 'arith.fptosi' expected operands and results of one shape, got vector<4xf32> and vector<8xi32>

// -----

func.func @not_wider(%x: vector<4xi32>) {
  %0 = arith.extsi %x : vector<4xi32> to vector<4xi8>
  func.return
}
// CHECK: 'arith.extsi' expected a result wider than i32, got i8

// -----

func.func @not_narrower(%x: vector<4xi32>) {
  %0 = arith.trunci %x : vector<4xi32> to vector<4xi64>
  func.return
}
// CHECK: 'arith.trunci' expected a result narrower than i32, got i64

// -----

func.func @no_index(%x: vector<4xi32>) {
  %0 = arith.index_cast %x : vector<4xi32> to vector<4xi64>
  func.return
}
// CHECK: 'arith.index_cast' expected index on exactly one side, got i32 and i64

// -----

func.func @scalar_not_wider(%x: i32) {
  %0 = arith.extsi %x : i32 to i32
  func.return
}
// CHECK: Destination bit-width must be larger than the input bit-width
