// RUN: xdsl-opt %s -p lanes-to-loops | filecheck %s

// What lanes give each other lies in memory between two loops.

// CHECK-LABEL: func.func @broadcast
// CHECK:           memref.store %v, %v_lanes[%lane] : memref<4xi32>
// CHECK:         scf.for %lane_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:      [[FROM:%\w+]] = arith.andi %from, %c3 : index
// CHECK-NEXT:      %v_1 = memref.load %v_lanes[[[FROM]]] : memref<4xi32>
// CHECK-NEXT:      memref.store %v_1, %w_lanes[] : memref<i32>
// CHECK:           %w = memref.load %w_lanes[] : memref<i32>
func.func @broadcast(%x: memref<?xi32>, %first: index, %from: index) {
  spmd.sub_group (%lx) shape [4] at (%first) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %w = spmd.broadcast %v from %from across sub_group : i32
    memref.store %w, %x[%lx] : memref<?xi32>
  }
  func.return
}

// The first active lane is the one: a loop carries whether it has been found.

// CHECK-LABEL: func.func @elect
// CHECK:         {{%.*}} = scf.for %lane_1 = %c0 to %c4 step %c1 iter_args([[FOUND:%.*]] = %false) -> (i1) {
// CHECK:           [[ACTIVE:%.*]] = arith.trunci
// CHECK-NEXT:      [[FIRST:%.*]] = arith.select [[FOUND]], %false, [[ACTIVE]] : i1
// CHECK-NEXT:      [[BYTE:%.*]] = arith.extui [[FIRST]] : i1 to i8
// CHECK-NEXT:      memref.store [[BYTE]], %e_lanes[%lane_1] : memref<4xi8>
// CHECK-NEXT:      [[NEXT:%.*]] = arith.ori [[FOUND]], [[ACTIVE]] : i1
// CHECK-NEXT:      scf.yield [[NEXT]] : i1
func.func @elect(%x: memref<?xi1>, %first: index, %n: index) {
  spmd.sub_group (%lx) shape [4] at (%first) {
    %m = arith.cmpi slt, %lx, %n : index
    spmd.masked %m {
      %e = spmd.elect
      memref.store %e, %x[%lx] : memref<?xi1>
    }
  }
  func.return
}
