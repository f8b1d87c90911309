// RUN: xdsl-opt %s -p version-rows --split-input-file | filecheck %s

// Lanes share the row that they are in, or are in two.

// CHECK-LABEL: func.func @rows
// CHECK: %base_last = arith.addi %base, %c15 : index
// CHECK-NEXT: %0 = arith.cmpi sge, %base, %c0 : index
// CHECK-NEXT: %1 = arith.cmpi sge, %base_last, %c0 : index
// CHECK-NEXT: %2 = arith.andi %0, %1 : i1
// CHECK-NEXT: %3 = arith.cmpi sgt, %w, %c0 : index
// CHECK-NEXT: %width = arith.select %3, %w, %c1 : index
// CHECK-NEXT: %row = arith.divsi %base, %width : index
// CHECK-NEXT: %column = arith.remsi %base, %width : index
// CHECK-NEXT: %left = arith.subi %width, %column : index
// CHECK-NEXT: %4 = arith.cmpi sgt, %left, %c15 : index
// CHECK-NEXT: %one_row = arith.andi %2, %4 : i1
// CHECK-NEXT: %5 = arith.cmpi sgt, %width, %c15 : index
// CHECK-NEXT: %two_rows = arith.andi %2, %5 : i1
// CHECK-NEXT: spmd.sub_group (%i) shape [16] at (%base) {
// CHECK-NEXT: scf.if %one_row {
// CHECK-NEXT: %ahead = arith.subi %i, %base : index
// CHECK-NEXT: %column_1 = arith.addi %column, %ahead : index
// CHECK-NEXT: %v = memref.load %x[%row, %column_1] : memref<?x?xf32>
// CHECK-NEXT: memref.store %v, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.if %two_rows {
// CHECK-NEXT: %ahead_1 = arith.subi %i, %base : index
// CHECK-NEXT: %inside = arith.cmpi slt, %ahead_1, %left : index
// CHECK-NEXT: %column_2 = arith.addi %column, %ahead_1 : index
// CHECK-NEXT: %row_1 = arith.addi %row, %c1 : index
// CHECK-NEXT: %column_3 = arith.subi %column_2, %width : index
// CHECK-NEXT: %v_1 = scf.if %inside -> (f32) {
// CHECK-NEXT: %v_2 = memref.load %x[%row, %column_2] : memref<?x?xf32>
// CHECK-NEXT: scf.yield %v_2 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %v_3 = memref.load %x[%row_1, %column_3] : memref<?x?xf32>
// CHECK-NEXT: scf.yield %v_3 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: memref.store %v_1, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r = arith.divui %i, %w : index
// CHECK-NEXT: %c = arith.remui %i, %w : index
// CHECK-NEXT: %v_4 = memref.load %x[%r, %c] : memref<?x?xf32>
// CHECK-NEXT: memref.store %v_4, %y[%i] : memref<?xf32>
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }
func.func @rows(%x: memref<?x?xf32>, %y: memref<?xf32>, %base: index, %w: index) {
  spmd.sub_group (%i) shape [16] at (%base) {
    %r = arith.divui %i, %w : index
    %c = arith.remui %i, %w : index
    %v = memref.load %x[%r, %c] : memref<?x?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Ids in three dimensions are divided twice, and so are numbers of 32 bits, of which a remainder is
// rounded down. What is divided by a part of another row is a number that lanes share then.

// CHECK-LABEL: func.func @three
// CHECK:         %row = arith.divsi %base, %width : index
// CHECK:         %row_1 = arith.divsi %i32, %width_1 : i32
// CHECK:         %one_row = arith.andi
// CHECK:         scf.if %one_row {
// CHECK:           arith.divui %row, %h : index
// CHECK-NOT:       arith.rem
// CHECK-NOT:       arith.select
// CHECK:         } else {
// CHECK-NEXT:      scf.if %two_rows {
func.func @three(%x: memref<?x?x?xf32>, %y: memref<?xf32>, %base: index, %w: index, %h: index, %p: i32) {
  %c0 = arith.constant 0 : i32
  spmd.sub_group (%i) shape [8] at (%base) {
    %r = arith.divui %i, %w : index
    %z = arith.divui %r, %h : index
    %c = arith.remui %i, %w : index
    %v = memref.load %x[%z, %r, %c] : memref<?x?x?xf32>
    %i32 = arith.index_cast %i : index to i32
    %rest = arith.remsi %i32, %p : i32
    %signs = arith.xori %rest, %p : i32
    %differ = arith.cmpi slt, %signs, %c0 : i32
    %some = arith.cmpi ne, %rest, %c0 : i32
    %down = arith.andi %some, %differ : i1
    %more = arith.addi %rest, %p : i32
    %floor = arith.select %down, %more, %rest : i32
    %at = arith.index_cast %floor : i32 to index
    %u = memref.load %y[%at] : memref<?xf32>
    %s = arith.addf %u, %v : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Left alone: digits of a number, a stencil on a torus, a divisor that lanes do not share, what counts
// iterations, and what decides nothing.

// CHECK-LABEL: func.func @others
// CHECK-NOT:     scf.if
// CHECK:         func.return
func.func @others(%x: memref<?xf32>, %m: memref<?xindex>, %base: index, %w: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %low = arith.remui %i, %c8 : index
    %a = memref.load %x[%low] : memref<?xf32>
    %before = arith.subi %i, %c1 : index
    %left = arith.remsi %before, %w : index
    %right = arith.remsi %i, %w : index
    %b = memref.load %x[%left] : memref<?xf32>
    %c = memref.load %x[%right] : memref<?xf32>
    %own = memref.load %m[%i] : memref<?xindex>
    %part = arith.divui %i, %own : index
    %d = memref.load %x[%part] : memref<?xf32>
    scf.for %k = %c0 to %c8 step %c1 {
      %next = arith.addi %i, %k : index
      %row = arith.divui %next, %w : index
      memref.store %d, %x[%row] : memref<?xf32>
    }
    memref.store %a, %x[%i] : memref<?xf32>
    memref.store %b, %x[%i] : memref<?xf32>
    memref.store %c, %x[%i] : memref<?xf32>
  }
  spmd.sub_group (%i) shape [16] at (%base) {
    %row = arith.divui %i, %w : index
    memref.store %row, %m[%i] : memref<?xindex>
  }
  func.return
}
