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
