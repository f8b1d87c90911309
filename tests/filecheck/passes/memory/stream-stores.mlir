// RUN: xdsl-opt %s --allow-unregistered-dialect -p stream-stores | filecheck %s

// Vectors that follow one another fill lines; so do those of another argument, which nobody marked.

// CHECK-LABEL: func.func @rows
// CHECK:         vector.store %v, %y[%i] {nontemporal = true} : memref<?xf32>, vector<16xf32>
// CHECK-NEXT:    vector.store %v, %x[%i] : memref<?xf32>, vector<16xf32>
func.func @rows(%x: memref<?xf32>, %y: memref<?xf32> {spmd.streamed}, %base: index, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %first = %c0 to %c256 step %c16 {
    %i = arith.addi %base, %first : index
    vector.store %v, %y[%i] : memref<?xf32>, vector<16xf32>
    vector.store %v, %x[%i] : memref<?xf32>, vector<16xf32>
  }
  func.return
}

// Three numbers of each of 16 work-items: 48 are stored together.

// CHECK-LABEL: func.func @records
// CHECK:         vector.store %v, %y[%at] {nontemporal = true} : memref<?xi8>, vector<48xi8>
func.func @records(%y: memref<?xi8> {spmd.streamed}, %v: vector<48xi8>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %first = %c0 to %c256 step %c16 {
    %at = arith.muli %first, %c3 : index
    vector.store %v, %y[%at] : memref<?xi8>, vector<48xi8>
  }
  func.return
}

// Parts of rows: lines are filled if they are long.

// CHECK-LABEL: func.func @columns
// CHECK:         vector.store %short, %y[%j, %c0] : memref<?x?xf32>, vector<16xf32>
// CHECK-NEXT:    vector.store %long, %y[%j, %c16] {nontemporal = true} : memref<?x?xf32>, vector<64xf32>
func.func @columns(%y: memref<?x?xf32> {spmd.streamed}, %short: vector<16xf32>, %long: vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %j = %c0 to %c16 step %c1 {
    vector.store %short, %y[%j, %c0] : memref<?x?xf32>, vector<16xf32>
    vector.store %long, %y[%j, %c16] : memref<?x?xf32>, vector<64xf32>
  }
  func.return
}

// What is stored again, or may be, stays in the cache.

// CHECK-LABEL: func.func @again
// CHECK-NOT:     nontemporal
func.func @again(%y: memref<?xf32> {spmd.streamed}, %v: vector<64xf32>, %more: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %first = %c0 to %c256 step %c64 {
    scf.for %k = %c0 to %c64 step %c1 {
      vector.store %v, %y[%first] : memref<?xf32>, vector<64xf32>
    }
    scf.while : () -> () {
      scf.condition(%more)
    } do {
      vector.store %v, %y[%first] : memref<?xf32>, vector<64xf32>
      scf.yield
    }
  }
  func.return
}

// Columns of an array are no lines, and where rows are is not known of a view.

// CHECK-LABEL: func.func @strided
// CHECK-NOT:     nontemporal
func.func @strided(%y: memref<?xf32, strided<[2]>> {spmd.streamed}, %z: memref<?xf32, strided<[?]>> {spmd.streamed}, %v: vector<64xf32>) {
  %c0 = arith.constant 0 : index
  vector.store %v, %y[%c0] : memref<?xf32, strided<[2]>>, vector<64xf32>
  vector.store %v, %z[%c0] : memref<?xf32, strided<[?]>>, vector<64xf32>
  func.return
}

// Others have no body.

// CHECK-LABEL: func.func private @elsewhere
func.func private @elsewhere(memref<?xf32>) -> ()

// Where it is known how rows lie in lines, what is stored at once is as long as it is aligned.

// CHECK-LABEL: func.func @placed
// CHECK:         %[[HEAD:.*]] = vector.shuffle %v, %v [0, 1, 2, 3] :
// CHECK-NEXT:    vector.store %[[HEAD]], %y[%i] {alignment = 16 : i64, nontemporal = true} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %[[I4:.*]] = arith.addi %i, %c4 : index
// CHECK-NEXT:    %[[HALF:.*]] = vector.shuffle %v, %v [4, 5, 6, 7, 8, 9, 10, 11] :
// CHECK-NEXT:    vector.store %[[HALF]], %y[%[[I4]]] {alignment = 32 : i64, nontemporal = true} : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    %[[I12:.*]] = arith.addi %i, %c12 : index
// CHECK-NEXT:    %[[LINE:.*]] = vector.shuffle %v, %v [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27] :
// CHECK-NEXT:    vector.store %[[LINE]], %y[%[[I12]]] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
// CHECK-NEXT:    %[[I28:.*]] = arith.addi %i, %c28 : index
// CHECK-NEXT:    %[[TAIL:.*]] = vector.shuffle %v, %v [28, 29, 30, 31] :
// CHECK-NEXT:    vector.store %[[TAIL]], %y[%[[I28]]] {alignment = 16 : i64, nontemporal = true} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:  }
func.func @placed(%y: memref<?xf32> {spmd.streamed = 16 : i64}, %group: index, %v: vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %base = arith.muli %group, %c256 overflow<nsw> : index
  scf.for %first = %c0 to %c256 step %c32 {
    %i = arith.addi %base, %first overflow<nsw> : index
    vector.store %v, %y[%i] : memref<?xf32>, vector<32xf32>
  }
  func.return
}

// The index counts: 4 elements of 4 bytes further on a line begins. What begins at one is stored line by line.

// CHECK-LABEL: func.func @shifted
// CHECK:         %[[FIRST:.*]] = vector.shuffle %v, %v [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] :
// CHECK-NEXT:    vector.store %[[FIRST]], %y[%j, %i] {alignment = 64 : i64, nontemporal = true} : memref<?x?xf32>, vector<16xf32>
// CHECK:         %[[LAST:.*]] = vector.shuffle %v, %v [48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] :
// CHECK-NEXT:    vector.store %[[LAST]], %y[%j, %{{.*}}] {alignment = 64 : i64, nontemporal = true} : memref<?x?xf32>, vector<16xf32>
func.func @shifted(%y: memref<?x?xf32> {spmd.streamed = 48 : i64}, %group: index, %j: index, %v: vector<64xf32>) {
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %base = arith.muli %group, %c64 overflow<nsw> : index
  %i = arith.addi %base, %c4 overflow<nsw> : index
  vector.store %v, %y[%j, %i] : memref<?x?xf32>, vector<64xf32>
  func.return
}

// What fills one line stays whole, and so does what begins anywhere.

// CHECK-LABEL: func.func @anywhere
// CHECK:         vector.store %line, %y[%first] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
// CHECK:         vector.store %v, %y[%i] {nontemporal = true} : memref<?xf32>, vector<64xf32>
func.func @anywhere(%y: memref<?xf32> {spmd.streamed = 0 : i64}, %i: index, %line: vector<16xf32>, %v: vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %first = %c0 to %c256 step %c16 {
    vector.store %line, %y[%first] : memref<?xf32>, vector<16xf32>
  }
  vector.store %v, %y[%i] : memref<?xf32>, vector<64xf32>
  func.return
}
