// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

func.func @no_offset(%x: memref<?xf32>, %i: vector<4xindex>, %m: vector<4xi1>, %v: vector<4xf32>) {
  vector.scatter %x[] [%i], %m, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  func.return
}
// CHECK: expected one offset per dimension of memref<?xf32> (1), got 0

// -----

func.func @elements(%x: memref<?xf64>, %c: index, %i: vector<4xindex>, %m: vector<4xi1>, %v: vector<4xf32>) {
  %0 = vector.gather %x[%c] [%i], %m, %v : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return
}
// CHECK: expected a result with elements of type f64 as in memref<?xf64>, got vector<4xf32>

// -----

func.func @mask(%x: memref<?xf32>, %c: index, %i: vector<4xindex>, %m: vector<8xi1>, %v: vector<4xf32>) {
  %0 = vector.gather %x[%c] [%i], %m, %v : memref<?xf32>, vector<4xindex>, vector<8xi1>, vector<4xf32> into vector<4xf32>
  func.return
}
// CHECK: expected mask of the shape of vector<4xf32>, got vector<8xi1>

// -----

func.func @pass_thru(%x: memref<?xf32>, %c: index, %i: vector<4xindex>, %m: vector<4xi1>, %v: vector<8xf32>) {
  %0 = vector.gather %x[%c] [%i], %m, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<8xf32> into vector<4xf32>
  func.return
}
// CHECK: expected pass_thru of type vector<4xf32>, got vector<8xf32>

// -----

func.func @step() {
  %0 = vector.step : vector<2x2xindex>
  func.return
}
// CHECK: expected a vector of rank 1, got vector<2x2xindex>
