// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s

// CHECK: expected an integer and index, got i8 and i16
func.func @no_index(%x: i8) {
  %a = arith.index_castui %x : i8 to i16
  func.return
}

// -----

// CHECK: expected an integer and index, got vector<4xf32> and vector<4xindex>
func.func @floats(%x: vector<4xf32>) {
  %a = arith.index_castui %x : vector<4xf32> to vector<4xindex>
  func.return
}

// -----

// CHECK: expected one shape, got vector<4xi32> and index
func.func @shapes(%x: vector<4xi32>) {
  %a = arith.index_castui %x : vector<4xi32> to index
  func.return
}
