// RUN: xdsl-opt %s -p lanes-to-loops | filecheck %s

// Loops over lanes on both sides of a collective; a uniform value is kept once.

// CHECK-LABEL: func.func @sums
// CHECK-DAG:     %s_lanes = memref.alloca() {alignment = 64 : i64} : memref<i32>
// CHECK-DAG:     %v_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi32>
// CHECK:         scf.for %lane = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %lx = arith.addi %first, %lane : index
// CHECK-NEXT:      %v = memref.load %x[%lx] : memref<?xi32>
// CHECK:           memref.store %v, %v_lanes[%lane] : memref<4xi32>
// CHECK:         %{{.*}} = scf.for %lane_1 = %c0 to %c4 step %c1 iter_args(%{{.*}} = %c0_1) -> (i32) {
// CHECK:           arith.select %m_2, %v_1, %c0_1 : i32
// CHECK:         memref.store %{{.*}}, %s_lanes[] : memref<i32>
// CHECK:         scf.for %lane_2 = %c0 to %c4 step %c1 {
// CHECK:           scf.if %m_4 {
// CHECK-NEXT:        %s = memref.load %s_lanes[] : memref<i32>
// CHECK-NEXT:        %lx_1 = arith.addi %first, %lane_2 : index
// CHECK-NEXT:        memref.store %s, %y[%lx_1] : memref<?xi32>
// CHECK-NOT:     spmd.
func.func @sums(%x: memref<?xi32>, %y: memref<?xi32>, %first: index, %n: index) {
  %c0 = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [4] at (%first) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %m = arith.cmpi sgt, %v, %c0 : i32
    spmd.masked %m {
      %s = spmd.reduce add %v across sub_group : i32
      memref.store %s, %y[%lx] : memref<?xi32>
    }
  }
  func.return
}

// An array of dynamic size: room for all lanes, for each as much as for the largest.

// CHECK-LABEL: func.func @room
// CHECK:         %size_1 = scf.for %lane_1 = %c0 to %c4 step %c1 iter_args(%{{.*}} = %c0) -> (index) {
// CHECK:           arith.maxui
// CHECK:         %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended %c4, %size_1 : index
// CHECK-NEXT:    %[[LEAST:.*]] = arith.minui %[[LOW]], %c72057594037927936 : index
// CHECK-NEXT:    %[[FITS:.*]] = arith.cmpi eq, %[[HIGH]], %c0 : index
// CHECK-NEXT:    %[[BYTES:.*]] = arith.select %[[FITS]], %[[LEAST]], %c72057594037927936 : index
// CHECK-NEXT:    %[[MORE:.*]] = arith.addi %[[BYTES]], %c15 : index
// CHECK-NEXT:    %[[ROUND:.*]] = arith.andi %[[MORE]], %cm16 : index
// CHECK-NEXT:    %[[ALL:.*]] = arith.muli %[[ROUND]], %c4 : index
// CHECK-NEXT:    %a_lanes = memref.alloca(%[[ALL]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK:         scf.for %lane_2 = %c0 to %c4 step %c1 {
// CHECK:           %[[START:.*]] = arith.muli %lane_2, %[[ROUND]] : index
// CHECK:           memref.view %a_lanes[%[[START]]][%{{.*}}] : memref<?xi8> to memref<?xf32>
func.func @room(%sizes: memref<?xindex>, %y: memref<?xf32>, %first: index, %v: f32) {
  %c1 = arith.constant 1 : index
  spmd.sub_group (%lx) shape [4] at (%first) {
    %size = memref.load %sizes[%lx] : memref<?xindex>
    %a = memref.alloca(%size) : memref<?xf32>
    memref.store %v, %a[%c1] : memref<?xf32>
    %w = memref.load %a[%c1] : memref<?xf32>
    memref.store %w, %y[%lx] : memref<?xf32>
  }
  func.return
}

// A scan is a loop that keeps the sum so far of each lane.

// CHECK-LABEL: func.func @sums_so_far
// CHECK:         [[ZERO:%\w+]] = arith.constant 0 : i32
// CHECK:         scf.for [[LANE:%\w+]] = %c0 to %c4 step %c1 iter_args([[SUM:%\w+]] = [[ZERO]]) -> (i32) {
// CHECK-NEXT:      [[V:%\w+]] = memref.load %v_lanes[[[LANE]]] : memref<4xi32>
// CHECK-NEXT:      [[MORE:%\w+]] = arith.addi [[SUM]], [[V]] : i32
// CHECK-NEXT:      memref.store [[MORE]], %sum_lanes[[[LANE]]] : memref<4xi32>
// CHECK-NEXT:      scf.yield [[MORE]] : i32
func.func @sums_so_far(%b: index, %x: memref<?xi32>) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %sum = spmd.scan inclusive add %v across sub_group : i32
    memref.store %sum, %x[%lx] : memref<?xi32>
  }
  func.return
}

// The distance of an id, which inactive lanes do not have, from the lane is kept by a lane
// that has it.

// CHECK-LABEL: func.func @distance
// CHECK:         %distance = arith.subi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    [[BYTE:%\w+]] = memref.load %on_lanes[%{{.*}}] : memref<4xi8>
// CHECK-NEXT:    [[ON:%\w+]] = arith.trunci [[BYTE]] : i8 to i1
// CHECK-NEXT:    scf.if [[ON]] {
// CHECK-NEXT:      memref.store %distance, %distance_lanes[] : memref<index>
// CHECK-NEXT:    }
func.func @distance(%x: memref<?xindex>, %first: index, %n: index) {
  spmd.sub_group (%lx) shape [4] at (%first) {
    %lane = spmd.lane_id
    %on = arith.cmpi slt, %lane, %n : index
    %id = spmd.masked %on -> (index) {
      memref.store %n, %x[%lx] : memref<?xindex>
      %far = arith.addi %lx, %n : index
      spmd.yield %far : index
    }
    %some = spmd.any %on across sub_group
    %distance = arith.subi %id, %lx : index
    %all = spmd.all %on across sub_group
    memref.store %distance, %x[%n] : memref<?xindex>
  }
  func.return
}

// Of two dimensions lanes go along the first, then the second.

// CHECK-LABEL: func.func @rows
// CHECK:         scf.for [[LANE:%\w+]] = %c0 to %c8 step %c1 {
// CHECK-NEXT:      [[X:%\w+]] = arith.andi [[LANE]], %c3 : index
// CHECK-NEXT:      %lx = arith.addi %a, [[X]] : index
// CHECK-NEXT:      [[Y:%\w+]] = arith.shrui [[LANE]], %c2 : index
// CHECK-NEXT:      %ly = arith.addi %b, [[Y]] : index
// CHECK-NEXT:      memref.store %lx, %x[%ly] : memref<?xindex>
func.func @rows(%x: memref<?xindex>, %a: index, %b: index) {
  spmd.sub_group (%lx, %ly) shape [4, 2] at (%a, %b) {
    memref.store %lx, %x[%ly] : memref<?xindex>
  }
  func.return
}

// What comes out of a mask around a collective: lanes that it leaves out have the other
// value. What all lanes have from outside, such as the bounds of a loop, needs no memory.

// CHECK-LABEL: func.func @alternative
// CHECK:         %zero = arith.constant 0 : i32
// CHECK-NEXT:    %r_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi32>
// CHECK-NEXT:    %s_lanes = memref.alloca() {alignment = 64 : i64} : memref<i32>
// CHECK-NEXT:    %v_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi32>
// CHECK-NEXT:    %m_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi8>
// CHECK-NEXT:    scf.for
// CHECK:         scf.for %k = %c0 to %n step %c1 {
// CHECK:           memref.store %{{.*}}, %s_lanes[] : memref<i32>
// CHECK-NEXT:      scf.for [[LANE:%\w+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:        [[BYTE:%\w+]] = memref.load %m_lanes[[[LANE]]] : memref<4xi8>
// CHECK-NEXT:        [[ON:%\w+]] = arith.trunci [[BYTE]] : i8 to i1
// CHECK-NEXT:        scf.if [[ON]] {
// CHECK-NEXT:          %s = memref.load %s_lanes[] : memref<i32>
// CHECK-NEXT:          memref.store %s, %r_lanes[[[LANE]]] : memref<4xi32>
// CHECK-NEXT:        }
// CHECK-NEXT:        [[OFF:%\w+]] = arith.xori [[ON]], %true : i1
// CHECK-NEXT:        scf.if [[OFF]] {
// CHECK-NEXT:          %v_2 = memref.load %v_lanes[[[LANE]]] : memref<4xi32>
// CHECK-NEXT:          memref.store %v_2, %r_lanes[[[LANE]]] : memref<4xi32>
func.func @alternative(%x: memref<?xi32>, %first: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [4] at (%first) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %m = arith.cmpi sgt, %v, %zero : i32
    scf.for %k = %c0 to %n step %c1 {
      %r = spmd.masked %m -> (i32) {
        %s = spmd.reduce add %v across sub_group : i32
        spmd.yield %s : i32
      } else %v : i32
      memref.store %r, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}

// What all lanes choose together stays outside of the loops over them.

// CHECK-LABEL: func.func @choice
// CHECK:         scf.index_switch %n
// CHECK-NEXT:    case 2 {
// CHECK:           scf.for
// CHECK:           scf.for
// CHECK:         default {
// CHECK:           scf.for
// CHECK-NOT:     spmd.
func.func @choice(%x: memref<?xi32>, %first: index, %n: index) {
  spmd.sub_group (%lx) shape [4] at (%first) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %r = scf.index_switch %n -> i32
    case 2 {
      %s = spmd.reduce add %v across sub_group : i32
      scf.yield %s : i32
    }
    default {
      scf.yield %v : i32
    }
    memref.store %r, %x[%lx] : memref<?xi32>
  }
  func.return
}
