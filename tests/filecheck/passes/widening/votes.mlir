// RUN: xdsl-opt %s -p widen-sub-groups | filecheck %s

// A number that grows from lane to lane is beyond a bound in some lane only if it is at one
// of the ends.

// CHECK-LABEL: func.func @ends
// CHECK:         [[END:%.*]] = arith.addi %first, %c7 : index
// CHECK-NEXT:    [[FIRST:%.*]] = arith.cmpi uge, %first, %size : index
// CHECK-NEXT:    [[LAST:%.*]] = arith.cmpi uge, [[END]], %size : index
// CHECK-NEXT:    %some = arith.ori [[FIRST]], [[LAST]] : i1
// CHECK-NEXT:    scf.if %some {
func.func @ends(%x: memref<?xf32>, %first: index) {
  %c0 = arith.constant 0 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  spmd.sub_group (%i) shape [8] at (%first) {
    %p = arith.cmpi uge, %i, %size : index
    %some = spmd.any %p across sub_group
    scf.if %some {
      spmd.fail "no"
    }
    spmd.yield
  }
  func.return
}

// Of the first lanes, the last of them.

// CHECK-LABEL: func.func @tail
// CHECK:         [[MOST:%.*]] = arith.minsi %count, %c8 : index
// CHECK-NEXT:    [[LANE:%.*]] = arith.subi [[MOST]], %c1 : index
func.func @tail(%x: memref<?xf32>, %first: index, %count: index) {
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %size = memref.dim %x, %c0 : memref<?xf32>
  spmd.sub_group (%i) shape [8] at (%first) {
    %lane = spmd.lane_id
    %exists = arith.cmpi slt, %lane, %count : index
    %exist = spmd.any %exists across sub_group
    scf.if %exist {
      %p = arith.cmpi uge, %i, %size : index
      %active = arith.select %exists, %p, %false : i1
      %some = spmd.any %active across sub_group
      scf.if %some {
        spmd.fail "no"
      }
    }
    spmd.yield
  }
  func.return
}

// Nothing of this where the number may wrap around, or be below an unsigned bound in the
// middle only.

// CHECK-LABEL: func.func @neither
// CHECK:         vector.reduction <or>, %p : vector<8xi1> into i1
// CHECK:         vector.reduction <or>, %q : vector<8xi1> into i1
func.func @neither(%x: memref<?xindex>, %first: index, %bound: i8) {
  %c0 = arith.constant 0 : index
  %size = memref.dim %x, %c0 : memref<?xindex>
  spmd.sub_group (%i) shape [8] at (%first) {
    %b = arith.trunci %bound : i8 to i4
    %short = arith.index_cast %i : index to i4
    %p = arith.cmpi sge, %short, %b : i4
    %some = spmd.any %p across sub_group
    scf.if %some {
      spmd.fail "no"
    }
    %down = arith.subi %i, %size : index
    %q = arith.cmpi ult, %down, %size : index
    %other = spmd.any %q across sub_group
    scf.if %other {
      spmd.fail "no"
    }
    spmd.yield
  }
  func.return
}
