// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// Each row has its address; what is the same in all rows is done once.

// CHECK-LABEL: func.func @rows
// CHECK-DAG:     [[ROW:%\w+]] = arith.addi %b, %c1 : index
// CHECK:         %v = vector.load %x[%b, %a] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    [[V:%\w+]] = vector.load %x{{\[}}[[ROW]], %a] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    [[W:%\w+]] = vector.shuffle %v, [[V]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-NEXT:    %r = vector.load %x[%c0, %a] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    %c = memref.load %x[%b, %c0] : memref<?x?xf32>
// CHECK:         memref.load %x{{\[}}[[ROW]], %c0] : memref<?x?xf32>
// CHECK:         [[R:%\w+]] = vector.shuffle %r, %r [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-NEXT:    %s = arith.addf [[W]], [[R]] : vector<8xf32>
// CHECK:         arith.addf %s, {{%\w+}} : vector<8xf32>
// CHECK:         vector.store {{%\w+}}, %x[%b, %a] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store {{%\w+}}, %x{{\[}}[[ROW]], %a] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:    func.return
func.func @rows(%x: memref<?x?xf32>, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i, %j) shape [4, 2] at (%a, %b) {
    %v = memref.load %x[%j, %i] : memref<?x?xf32>
    %r = memref.load %x[%c0, %i] : memref<?x?xf32>
    %c = memref.load %x[%j, %c0] : memref<?x?xf32>
    %s = arith.addf %v, %r : f32
    %t = arith.addf %s, %c : f32
    memref.store %t, %x[%j, %i] : memref<?x?xf32>
  }
  func.return
}

// -----

// Rows that follow each other are one access, which is of an array without rows.

// CHECK-LABEL: func.func @one_after_the_other
// CHECK:         %v = vector.load %x[{{%\w+}}] : memref<?xf32>, vector<8xf32>
// CHECK:         [[FLAT:%\w+]] = memref.reinterpret_cast
// CHECK:         vector.store %v, [[FLAT]][{{%\w+}}] {{.*}}, vector<8xf32>
func.func @one_after_the_other(%x: memref<?xf32>, %y: memref<?x4xf32>, %a: index, %b: index) {
  %c4 = arith.constant 4 : index
  spmd.sub_group (%i, %j) shape [4, 2] at (%a, %b) {
    %start = arith.muli %j, %c4 : index
    %at = arith.addi %start, %i : index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %y[%j, %i] : memref<?x4xf32>
  }
  func.return
}

// -----

// A loop carries a scalar for each row.

// CHECK-LABEL: func.func @carried
// CHECK:         scf.for {{.*}} iter_args([[P:%\w+]] = {{%\w+}}, [[Q:%\w+]] = {{%\w+}}) -> (index, index) {
// CHECK-NEXT:      vector.load %x{{\[}}[[P]]] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:      vector.load %x{{\[}}[[Q]]] : memref<?xf32>, vector<4xf32>
// CHECK:           arith.addi [[P]], %n : index
// CHECK-NEXT:      arith.addi [[Q]], %n : index
func.func @carried(%x: memref<?xf32>, %n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  spmd.sub_group (%i, %j) shape [4, 2] at (%a, %b) {
    %row = arith.muli %j, %n : index
    %at = arith.addi %row, %i : index
    scf.for %k = %c0 to %c8 step %c1 iter_args(%p = %at) -> (index) {
      %q = memref.load %x[%p] : memref<?xf32>
      %r = arith.addf %q, %q : f32
      memref.store %r, %x[%p] : memref<?xf32>
      %next = arith.addi %p, %n : index
      scf.yield %next : index
    }
  }
  func.return
}

// -----

// Bounds of rows and columns: a count for each row.

// CHECK-LABEL: func.func @bounds
// CHECK:         vector.create_mask {{%\w+}} : vector<4xi1>
// CHECK:         vector.create_mask {{%\w+}} : vector<4xi1>
// CHECK:         vector.maskedload %x[{{%\w+}}, {{%\w+}}], {{%\w+}}, {{%\w+}} : memref<?x?xf32>, vector<4xi1>
// CHECK:         vector.maskedload %x[{{%\w+}}, {{%\w+}}], {{%\w+}}, {{%\w+}} : memref<?x?xf32>, vector<4xi1>
// CHECK-NOT:     scatter
func.func @bounds(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %b = %c0 to %n step %c2 {
    scf.for %a = %c0 to %m step %c4 {
      spmd.sub_group (%i, %j) shape [4, 2] at (%a, %b) {
        %in = arith.cmpi slt, %i, %m : index
        %there = arith.cmpi slt, %j, %n : index
        %both = arith.andi %there, %in : i1
        spmd.masked %both {
          %v = memref.load %x[%j, %i] : memref<?x?xf32>
          %w = arith.addf %v, %v : f32
          memref.store %w, %x[%j, %i] : memref<?x?xf32>
        }
      }
    }
  }
  func.return
}

// -----

// Conditions stay masks of rows, which accesses need; a vote asks all of them at once.

// CHECK-LABEL: func.func @conditions
// CHECK:         [[INNER:%inner\w*]] = arith.cmpi ne, {{%\w+}}, {{%\w+}} : vector<4xindex>
// CHECK-NOT:     vector.shuffle
// CHECK:         [[M:%both\w*]] = arith.andi [[INNER]], {{%\w+}} : vector<4xi1>
// CHECK-NEXT:    [[N:%both\w*]] = arith.andi [[INNER]], {{%\w+}} : vector<4xi1>
// CHECK-NEXT:    [[ANY:%\w+]] = arith.ori [[M]], [[N]] : vector<4xi1>
// CHECK-NEXT:    vector.reduction <or>, [[ANY]] : vector<4xi1> into i1
// CHECK:         vector.maskedload %x[%b, %a], [[M]], {{%\w+}} : memref<?x?xf32>, vector<4xi1>
// CHECK:         vector.maskedload %x[{{%\w+}}, %a], [[N]], {{%\w+}} : memref<?x?xf32>, vector<4xi1>
func.func @conditions(%x: memref<?x?xf32>, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i, %j) shape [4, 2] at (%a, %b) {
    %inner = arith.cmpi ne, %i, %c0 : index
    %lower = arith.cmpi ne, %j, %c0 : index
    %both = arith.andi %inner, %lower : i1
    %some = spmd.any %both across sub_group
    scf.if %some {
      spmd.masked %both {
        %v = memref.load %x[%j, %i] : memref<?x?xf32>
        %w = arith.addf %v, %v : f32
        memref.store %w, %x[%j, %i] : memref<?x?xf32>
      }
    }
  }
  func.return
}

// -----

// Along y there is one lane: what it has is the same in all rows, and stays a scalar.

// CHECK-LABEL: func.func @one_along_y
// CHECK:         %c = memref.load %x[%b, %c0] : memref<?x?xf32>
// CHECK-NOT:     memref.load
// CHECK:         %c_lanes = vector.broadcast %c : f32 to vector<8xf32>
func.func @one_along_y(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %a: index, %b: index, %d: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i, %j, %k) shape [4, 1, 2] at (%a, %b, %d) {
    %v = memref.load %x[%k, %i] : memref<?x?xf32>
    %c = memref.load %x[%j, %c0] : memref<?x?xf32>
    %s = arith.addf %v, %c : f32
    memref.store %s, %y[%k, %i] : memref<?x?xf32>
  }
  func.return
}

// -----

// Where some lane is active, one of each row is only if all rows have the same mask.

// CHECK-LABEL: func.func @masked_columns
// CHECK:         %some = vector.reduction <or>
// CHECK-NEXT:    scf.if %some {
// CHECK-NEXT:      %v = memref.load %x[%b, %c0] : memref<?x?xf32>
// CHECK:           memref.load %x[{{%\w+}}, %c0] : memref<?x?xf32>
// CHECK:         %any = vector.reduction <or>
// CHECK-NEXT:    scf.if %any {
// CHECK-NEXT:      [[FIRST:%\w+]] = vector.reduction <or>
// CHECK-NEXT:      %w = scf.if [[FIRST]] -> (f32) {
// CHECK:           [[SECOND:%\w+]] = vector.reduction <or>
// CHECK-NEXT:      {{%\w+}} = scf.if [[SECOND]] -> (f32) {
func.func @masked_columns(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i, %j) shape [4, 2] at (%a, %b) {
    %in = arith.cmpi ne, %i, %m : index
    %some = spmd.any %in across sub_group
    scf.if %some {
      spmd.masked %in {
        %v = memref.load %x[%j, %c0] : memref<?x?xf32>
        memref.store %v, %y[%j, %i] : memref<?x?xf32>
      }
    }
    %there = arith.cmpi ne, %j, %n : index
    %both = arith.andi %in, %there : i1
    %any = spmd.any %both across sub_group
    scf.if %any {
      spmd.masked %both {
        %w = memref.load %x[%j, %c0] : memref<?x?xf32>
        memref.store %w, %y[%j, %i] : memref<?x?xf32>
      }
    }
  }
  func.return
}
