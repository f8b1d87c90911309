// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=64}' | filecheck %s

// As many bytes are permuted at once as 32 lanes have: 21 elements, or 22, are all that those share.

// CHECK-LABEL: func.func @enlarged.full
// CHECK:         vector.load %x{{.*}} : memref<?xi8>, vector<21xi8>
// CHECK:         vector.gather {{.*}} : memref<32xi8>, vector<32xi32>, vector<32xi1>, vector<32xi8> into vector<32xi8>
// CHECK:         vector.load %x{{.*}} : memref<?xi8>, vector<21xi8>
// CHECK:         vector.gather {{.*}} : memref<32xi8>, vector<32xi32>, vector<32xi1>, vector<32xi8> into vector<32xi8>
// CHECK-NOT:     vector.load
// CHECK:         func.return
spmd.kernel @enlarged(%x: memref<?xi8>, %y: memref<?xi8>)
    attributes {work_group_size = array<i64: 64>} {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %twice = arith.muli %i, %c2 overflow<nsw, nuw> : index
  %at = arith.divui %twice, %c3 : index
  %v = memref.load %x[%at] : memref<?xi8>
  memref.store %v, %y[%i] : memref<?xi8>
  spmd.return
}
