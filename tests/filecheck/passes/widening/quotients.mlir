// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=8}' | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=64}' | filecheck %s --check-prefix=BYTES

// Eight lanes share four elements, or five if the first one has the second half of its element.

// CHECK-LABEL: func.func @half.full
// CHECK:         %at = arith.divui %base_x, %c2 : index
// CHECK-NEXT:    [[EVEN:%\w+]] = arith.muli %at, %c2 : index
// CHECK-NEXT:    %rest = arith.subi %base_x, [[EVEN]] : index
// CHECK-NEXT:    %farthest = arith.addi %rest, %c7 : index
// CHECK-NEXT:    %quotient = arith.divui %farthest, %c2 : index
// CHECK-NEXT:    %last = arith.addi %at, %quotient : index
// CHECK-NEXT:    %v_1 = vector.load %x[%j, %at] {spmd.access = "row", spmd.why = "lanes share elements, as an index is divided by 2"} : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    %v_2 = memref.load %x[%j, %last] : memref<?x?xf32>
// CHECK-NEXT:    %v_3 = vector.broadcast %v_2 : f32 to vector<4xf32>
// CHECK-NEXT:    %v_4 = vector.shuffle %v_1, %v_3 [0, 1, 2, 3, 4, 4, 4, 4] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %rest_1 = arith.index_cast %rest : index to i32
// CHECK-NEXT:    %rest_2 = vector.broadcast %rest_1 : i32 to vector<8xi32>
// CHECK-NEXT:    %numbers = arith.addi %rest_2, %steps : vector<8xi32>
// CHECK-NEXT:    %places = arith.divui %numbers, %c2_lanes : vector<8xi32>
// CHECK-NEXT:    vector.store %v_4, %v[%c0] : memref<8xf32>, vector<8xf32>
// CHECK-NEXT:    %v_5 = vector.gather %v[%c0] [%places], %all_on,
// CHECK-NEXT:    vector.store %v_5, %y[%base_x]
spmd.kernel @half(%x: memref<?x?xf32>, %y: memref<?xf32>, %j: index)
    attributes {work_group_size = array<i64: 8>} {
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %at = arith.divui %i, %c2 : index
  %v = memref.load %x[%j, %at] : memref<?x?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  spmd.return
}

// Some lanes only: which elements may be loaded is not known before, but which lanes share them.

// CHECK-LABEL: func.func @some.full
// CHECK-NOT:     vector.load %x
// CHECK:         [[FIRST:%\w+]] = vector.shuffle %on, %none [0, 2, 4, 6, 8, 8, 8, 8]
// CHECK-NEXT:    [[OTHERS:%\w+]] = vector.shuffle %on, %none [1, 3, 5, 7, 8, 8, 8, 8]
// CHECK-NEXT:    %on_1 = arith.ori [[FIRST]], [[OTHERS]] : vector<8xi1>
// CHECK-NEXT:    vector.maskedload %x[{{%\w+}}], %on_1
spmd.kernel @some(%x: memref<?xf32>, %y: memref<?xf32>, %m: memref<?xi1>)
    attributes {work_group_size = array<i64: 8>} {
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %on = memref.load %m[%i] : memref<?xi1>
  scf.if %on {
    %at = arith.divui %i, %c2 : index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  spmd.return
}

// Neighbours never share what is three apart, divided by two.

// CHECK-LABEL: func.func @apart.full
// CHECK-NOT:     lanes share
// CHECK:         func.return
spmd.kernel @apart(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {work_group_size = array<i64: 8>} {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %thrice = arith.muli %i, %c3 : index
  %at = arith.divui %thrice, %c2 : index
  %v = memref.load %x[%at] : memref<?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  spmd.return
}

// As many bytes are permuted at once as 32 lanes have: 21 elements, or 22, are all that those share.

// BYTES-LABEL: func.func @enlarged.full
// BYTES:         vector.load %x{{.*}} : memref<?xi8>, vector<21xi8>
// BYTES:         vector.gather {{.*}} : memref<32xi8>, vector<32xi32>, vector<32xi1>, vector<32xi8> into vector<32xi8>
// BYTES:         vector.load %x{{.*}} : memref<?xi8>, vector<21xi8>
// BYTES:         vector.gather {{.*}} : memref<32xi8>, vector<32xi32>, vector<32xi1>, vector<32xi8> into vector<32xi8>
// BYTES-NOT:     vector.load
// BYTES:         func.return
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
