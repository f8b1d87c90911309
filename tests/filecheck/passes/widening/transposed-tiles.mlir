// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// Rows of lanes go across rows of memory: columns are loaded, and transposed in two steps.

// CHECK-LABEL: func.func @load
// CHECK:         [[A:%\w+]] = arith.addi %a, %c1 : index
// CHECK:         %v = vector.load %x[%a, %b] {{.*}} : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    [[V1:%\w+]] = vector.load %x{{\[}}[[A]], %b] {{.*}} : memref<?x?xf32>, vector<4xf32>
// CHECK:         [[V2:%\w+]] = vector.load
// CHECK:         [[V3:%\w+]] = vector.load
// CHECK-NEXT:    [[LOW:%\w+]] = vector.shuffle %v, [[V1]] [0, 4, 1, 5]
// CHECK-NEXT:    [[HIGH:%\w+]] = vector.shuffle %v, [[V1]] [2, 6, 3, 7]
// CHECK-NEXT:    [[LOWER:%\w+]] = vector.shuffle [[V2]], [[V3]] [0, 4, 1, 5]
// CHECK-NEXT:    vector.shuffle [[V2]], [[V3]] [2, 6, 3, 7]
// CHECK-NEXT:    [[ROW:%\w+]] = vector.shuffle [[LOW]], [[LOWER]] [0, 1, 4, 5]
// CHECK-NEXT:    [[NEXT:%\w+]] = vector.shuffle [[LOW]], [[LOWER]] [2, 3, 6, 7]
// CHECK-NOT:     gather
// CHECK:         vector.store [[ROW]], %y[%b, %a] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store [[NEXT]], %y[{{%\w+}}, %a] : memref<?x?xf32>, vector<4xf32>
func.func @load(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %a: index, %b: index) {
  spmd.sub_group (%i, %j) shape [4, 4] at (%a, %b) {
    %v = memref.load %x[%i, %j] : memref<?x?xf32>
    memref.store %v, %y[%j, %i] : memref<?x?xf32>
  }
  func.return
}

// -----

// Where rows lie at products of ids, these are computed for each column; so are masks.

// CHECK-LABEL: func.func @masked_store
// CHECK:         arith.muli %a, %n : index
// CHECK-COUNT-2: arith.extsi {{%\w+}} : vector<4xi1> to vector<4xi8>
// CHECK-COUNT-4: arith.trunci {{%\w+}} : vector<2xi8> to vector<2xi1>
// CHECK-COUNT-4: vector.maskedstore %y[{{%\w+}}], {{%\w+}}, {{%\w+}} {{.*}} : memref<?xf32>, vector<2xi1>, vector<2xf32>
// CHECK-NOT:     vector.maskedstore
func.func @masked_store(%v: f32, %y: memref<?xf32>, %m: index, %n: index, %a: index, %b: index) {
  spmd.sub_group (%i, %j) shape [4, 2] at (%a, %b) {
    %in = arith.cmpi slt, %i, %m : index
    %there = arith.cmpi slt, %j, %n : index
    %both = arith.andi %there, %in : i1
    spmd.masked %both {
      %line = arith.muli %i, %n : index
      %at = arith.addi %line, %j : index
      memref.store %v, %y[%at] : memref<?xf32>
    }
  }
  func.return
}

// -----

// An address that lanes load under the mask may be missing in the first lane of a column.

// CHECK-LABEL: func.func @first_lane_is_inactive
// CHECK:         vector.gather
// CHECK-NOT:     vector.maskedload
func.func @first_lane_is_inactive(%x: memref<?xf32>, %p: memref<?xindex>, %n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i, %j, %k) shape [4, 2, 2] at (%a, %b, %b) {
    %there = arith.cmpi sgt, %j, %b : index
    spmd.masked %there {
      %start = memref.load %p[%k] : memref<?xindex>
      %line = arith.muli %i, %n : index
      %row = arith.addi %line, %j : index
      %at = arith.addi %row, %start : index
      %v = memref.load %x[%at] : memref<?xf32>
      memref.store %v, %x[%i] : memref<?xf32>
    }
  }
  func.return
}
