// RUN: xdsl-opt %s -p mask-divergence --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p mask-divergence,widen-sub-groups --split-input-file | filecheck %s --check-prefix WIDE

// %row is 0, so that %in is true; but inactive lanes divide by 1, and the range that
// says so is lost. The active lanes are asked.

// CHECK-LABEL: func.func @after_a_mask
// CHECK:         %in = arith.cmpi eq, %most, %c128 : index
// CHECK-NEXT:    [[ASKED:%\w+]] = arith.select %exists, %in, %false : i1
// CHECK-NEXT:    %in_1 = spmd.reduce or [[ASKED]] across sub_group : i1
// CHECK-NEXT:    scf.if %in_1 {
// CHECK-NEXT:      spmd.masked %exists {
// CHECK-NEXT:        memref.store %lx, %x[%lx]
// WIDE-LABEL:  func.func @after_a_mask
// WIDE:          %in_1 = vector.reduction <or>, %{{.*}} : vector<16xi1> into i1
// WIDE-NEXT:     scf.if %in_1 {
func.func @after_a_mask(%count: index, %n: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c112 = arith.constant 112 : index
  %c128 = arith.constant 128 : index
  %some = arith.andi %n, %c7 : index
  %more = arith.addi %some, %c1 : index
  %size = arith.muli %more, %c128 : index
  spmd.sub_group (%lx) shape [16] at (%c112) count %count {
    %row = arith.divui %lx, %size : index
    memref.store %row, %x[%lx] : memref<?xindex>
    scf.for %k = %c0 to %c7 step %c1 {
      %left = arith.subi %c128, %row : index
      %most = arith.maxui %lx, %left : index
      %in = arith.cmpi eq, %most, %c128 : index
      scf.if %in {
        memref.store %lx, %x[%lx] : memref<?xindex>
      }
    }
  }
  func.return
}

// -----

// Where nothing of this kind is lost, nothing is asked again.

// CHECK-LABEL: func.func @known_anyway
// CHECK:         %in = arith.cmpi ult, %lx, %c128 : index
// CHECK-NEXT:    scf.if %in {
func.func @known_anyway(%count: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c128 = arith.constant 128 : index
  spmd.sub_group (%lx) shape [16] at (%c0) count %count {
    scf.for %k = %c0 to %c7 step %c1 {
      %in = arith.cmpi ult, %lx, %c128 : index
      scf.if %in {
        memref.store %lx, %x[%lx] : memref<?xindex>
      }
    }
  }
  func.return
}

// -----

// Of what was loaded under a mask, inactive lanes have no `& 0` that all could store to; what
// follows from ids they have, and it does not come out of a mask.

// CHECK-LABEL: func.func @known_everywhere
// CHECK:         %twice = arith.addi %lx, %lx : index
// CHECK-NEXT:    %v = spmd.masked %exists -> (index) {
// CHECK-NEXT:      %v_1 = memref.load %x[%lx] : memref<?xindex>
// CHECK-NEXT:      spmd.yield %v_1 : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = memref.load %x[%c1] : memref<?xindex>
// CHECK-NEXT:    memref.store %t, %x[%c0] : memref<?xindex>
// CHECK-NEXT:    %sum = arith.addi %v, %twice : index
func.func @known_everywhere(%count: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%lx) shape [16] at (%c0) count %count {
    %v = memref.load %x[%lx] : memref<?xindex>
    %twice = arith.addi %lx, %lx : index
    %t = memref.load %x[%c1] : memref<?xindex>
    %none = arith.andi %v, %c0 : index
    memref.store %t, %x[%none] : memref<?xindex>
    %sum = arith.addi %v, %twice : index
    memref.store %sum, %x[%lx] : memref<?xindex>
  }
  func.return
}
