// RUN: xdsl-opt %s -p widen-sub-groups | filecheck %s

// Inactive lanes contribute the neutral element; known patterns are shuffles.

// CHECK-LABEL: func.func @collectives
// CHECK:         %[[ON:.*]] = arith.select %m, %v_1, %ones : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:    %product = vector.reduction <mul>, %[[ON]] : vector<4xi32> into i32
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [4, 0, 1, 2] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [4, 4, 0, 1] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:    arith.addi
// CHECK:         %[[BITS:.*]] = vector.bitcast %m : vector<4xi1> to vector<1xi4>
// CHECK-NEXT:    %[[BIT:.*]] = vector.extract %[[BITS]][0] : i4 from vector<1xi4>
// CHECK-NEXT:    %ballot = arith.extui %[[BIT]] : i4 to i64
// CHECK:         vector.shuffle %v_1, %v_1 [1, 0, 3, 2] : vector<4xi32>, vector<4xi32>
// CHECK:         [[PLACES:%\w+]] = arith.andi %w, %c3_lanes : vector<4xindex>
// CHECK:         vector.store %v_1, %v[%c0] : memref<4xi32>, vector<4xi32>
// CHECK:         vector.gather %v[%c0] [[[PLACES]]], {{.*}} {spmd.access = "gather", spmd.why = "which lanes a shuffle takes from is known only at run time"}
// CHECK:         vector.store %{{.*}}, %x[%{{.*}}] : memref<?xi32>, vector<4xi32>
// CHECK:         memref.store %same, %x[%c0] : memref<?xi32>
// CHECK-NOT:     spmd.
func.func @collectives(%x: memref<?xi32>, %out: memref<?xi64>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%i) shape [4] at (%first) {
    %v = memref.load %x[%i] : memref<?xi32>
    %m = arith.cmpi sgt, %v, %zero : i32
    spmd.masked %m {
      %product = spmd.reduce mul %v across sub_group : i32
      memref.store %product, %x[%i] : memref<?xi32>
      %scan = spmd.scan inclusive add %v across sub_group : i32
      memref.store %scan, %x[%i] : memref<?xi32>
    }
    %ballot = spmd.ballot %m : i64
    memref.store %ballot, %out[%i] : memref<?xi64>
    %s = spmd.shuffle xor %v, %c1 : i32
    memref.store %s, %x[%i] : memref<?xi32>
    %w = arith.index_cast %v : i32 to index
    %t = spmd.shuffle idx %v, %w : i32
    memref.store %t, %x[%i] : memref<?xi32>
    %same = memref.load %x[%c0] : memref<?xi32>
    %u = spmd.shuffle idx %same, %w : i32
    memref.store %u, %x[%c0] : memref<?xi32>
    spmd.barrier sub_group
  }
  func.return
}
