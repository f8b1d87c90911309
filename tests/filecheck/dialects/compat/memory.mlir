// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: xdsl-opt %s -p canonicalize,cse | filecheck %s

// A gather and a scatter with side effects stay; a step is pure.

// CHECK-LABEL: func.func @indexed
// CHECK-NEXT:    %i = vector.step : vector<4xindex>
// CHECK-NEXT:    %v = vector.gather %x[%b] [%i], %m, %p : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT:    vector.scatter %x[%b] [%i], %m, %v {alignment = 4 : i64} : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    %w = vector.gather %x[%b] [%i], %m, %p : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT:    func.return %v, %w : vector<4xf32>, vector<4xf32>
func.func @indexed(%x: memref<?xf32>, %b: index, %m: vector<4xi1>, %p: vector<4xf32>)
    -> (vector<4xf32>, vector<4xf32>) {
  %i = vector.step : vector<4xindex>
  %v = vector.gather %x[%b] [%i], %m, %p : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %x[%b] [%i], %m, %v {alignment = 4 : i64} : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  %w = vector.gather %x[%b] [%i], %m, %p : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %v, %w : vector<4xf32>, vector<4xf32>
}
