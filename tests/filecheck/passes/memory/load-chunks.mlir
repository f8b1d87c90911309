// RUN: xdsl-opt %s --allow-unregistered-dialect -p 'load-chunks{target=512}' | filecheck %s
// RUN: xdsl-opt %s --allow-unregistered-dialect -p 'load-chunks{target=512},load-chunks{target=512}' | filecheck %s
// RUN: xdsl-opt %s --allow-unregistered-dialect -p 'load-chunks{target=256}' | filecheck %s --check-prefix=SHORT

// Three neighbours in a row are two loads, whatever their order, and rows each have theirs.

// CHECK-LABEL: func.func @neighbours
// CHECK:         %at = arith.addi %i1, %cm1 : index
// CHECK-NEXT:    %c = vector.load %a[%j, %at] : memref<?x?xf64>, vector<8xf64>
// CHECK-NEXT:    %at_1 = arith.addi %i1, %c7 : index
// CHECK-NEXT:    %c_1 = vector.load %a[%j, %at_1] : memref<?x?xf64>, vector<2xf64>
// CHECK-NEXT:    %rest = vector.shuffle %c_1, %c_1 [0, 1, 1, 1, 1, 1, 1, 1] : vector<2xf64>, vector<2xf64>
// CHECK-NEXT:    %c_2 = vector.shuffle %c, %rest [1, 2, 3, 4, 5, 6, 7, 8] : vector<8xf64>, vector<8xf64>
// CHECK-NEXT:    %e = vector.shuffle %c, %rest [2, 3, 4, 5, 6, 7, 8, 9] : vector<8xf64>, vector<8xf64>
// CHECK-NEXT:    %n = vector.load %a[%j1, %i1] : memref<?x?xf64>, vector<8xf64>
// CHECK-NEXT:    "use"(%c, %c_2, %e, %n)
// SHORT-LABEL: func.func @neighbours
// SHORT-COUNT-4: vector.load {{.*}}, vector<8xf64>
func.func @neighbours(%a: memref<?x?xf64>, %i: index, %j: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i1 = arith.addi %i, %c1 : index
  %i2 = arith.addi %i1, %c1 : index
  %j1 = arith.addi %j, %c1 : index
  %c = vector.load %a[%j, %i1] : memref<?x?xf64>, vector<8xf64>
  %w = vector.load %a[%j, %i] : memref<?x?xf64>, vector<8xf64>
  %e = vector.load %a[%j, %i2] : memref<?x?xf64>, vector<8xf64>
  %n = vector.load %a[%j1, %i1] : memref<?x?xf64>, vector<8xf64>
  "use"(%w, %c, %e, %n) : (vector<8xf64>, vector<8xf64>, vector<8xf64>, vector<8xf64>) -> ()
  func.return
}

// The last of three that begin five apart: after the first vector is no power of two.

// CHECK-LABEL: func.func @five_apart
// CHECK:         %v = vector.load %a[%i] : memref<?xf32>, vector<16xf32>
// CHECK-NEXT:    %at = arith.addi %i, %c13 : index
// CHECK-NEXT:    %v_1 = vector.load %a[%at] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    %rest = vector.shuffle %v_1, %v_1 [3, 4, 5, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]
// CHECK-NEXT:    %w = vector.shuffle %v, %rest [5, 6,
// CHECK-NEXT:    %x = vector.shuffle %v, %rest [1, 2,
// CHECK-NEXT:    "use"(%v, %w, %x, %w)
func.func @five_apart(%a: memref<?xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %i1 = arith.addi %i, %c1 : index
  %i5 = arith.addi %i, %c5 : index
  %v = vector.load %a[%i] : memref<?xf32>, vector<16xf32>
  %w = vector.load %a[%i5] : memref<?xf32>, vector<16xf32>
  %x = vector.load %a[%i1] : memref<?xf32>, vector<16xf32>
  %y = vector.load %a[%i5] : memref<?xf32>, vector<16xf32>
  "use"(%v, %w, %x, %y) : (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) -> ()
  func.return
}

// Not what is stored in between, nor two, nor small elements, nor half a register.

// CHECK-LABEL: func.func @stored
// CHECK-NOT:     vector.shuffle
func.func @stored(%a: memref<?xf64>, %b: memref<?xf64>, %bytes: memref<?xi8>, %i: index, %s: vector<8xf64>) {
  %c1 = arith.constant 1 : index
  %i1 = arith.addi %i, %c1 : index
  %i2 = arith.addi %i1, %c1 : index
  %v = vector.load %a[%i] : memref<?xf64>, vector<8xf64>
  %w = vector.load %a[%i1] : memref<?xf64>, vector<8xf64>
  vector.store %s, %b[%i] : memref<?xf64>, vector<8xf64>
  %x = vector.load %a[%i2] : memref<?xf64>, vector<8xf64>
  "use"(%v, %w, %x) : (vector<8xf64>, vector<8xf64>, vector<8xf64>) -> ()
  %b0 = vector.load %bytes[%i] : memref<?xi8>, vector<64xi8>
  %b1 = vector.load %bytes[%i1] : memref<?xi8>, vector<64xi8>
  %b2 = vector.load %bytes[%i2] : memref<?xi8>, vector<64xi8>
  "use"(%b0, %b1, %b2) : (vector<64xi8>, vector<64xi8>, vector<64xi8>) -> ()
  %h0 = vector.load %b[%i] : memref<?xf64>, vector<4xf64>
  %h1 = vector.load %b[%i1] : memref<?xf64>, vector<4xf64>
  %h2 = vector.load %b[%i2] : memref<?xf64>, vector<4xf64>
  "use"(%h0, %h1, %h2) : (vector<4xf64>, vector<4xf64>, vector<4xf64>) -> ()
  func.return
}
