// RUN: xdsl-opt %s -p fold-lane-views --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p fold-lane-views,fold-lane-views --split-input-file | filecheck %s

// A row that a work-item takes is rows and columns of the matrix.

// CHECK-LABEL: func.func @rows
// CHECK:          scf.for %lx = %c0 to %n step %c1 {
// CHECK-NEXT:       %offset = arith.muli %c1, %s : index
// CHECK-NEXT:       %at = arith.addi %k, %offset : index
// CHECK-NEXT:       %v = memref.load %x[%lx, %at] : memref<?x?xf32>
// CHECK-NEXT:       %offset_1 = arith.muli %c0, %s : index
// CHECK-NEXT:       %at_1 = arith.addi %k, %offset_1 : index
// CHECK-NEXT:       memref.store %v, %x[%lx, %at_1] : memref<?x?xf32>
// CHECK-NEXT:     } {spmd.work_items = array<i64: 0>}
func.func @rows(%x: memref<?x?xf32>, %n: index, %k: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %row = memref.subview %x[%lx, %k] [1, %n] [1, %s] : memref<?x?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %any = memref.cast %row : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
    %v = memref.load %any[%c1] : memref<?xf32, strided<[?], offset: ?>>
    memref.store %v, %row[%c0] : memref<?xf32, strided<[?], offset: ?>>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A part of a private array leaves it one of elements.

// CHECK-LABEL: func.func @private
// CHECK:          scf.for %lx = %c0 to %n step %c1 {
// CHECK-NEXT:       %a = memref.alloca() : memref<8xf32>
// CHECK-NEXT:       %v = memref.load %a[%c3] : memref<8xf32>
// CHECK-NEXT:       memref.store %v, %a[%c4] : memref<8xf32>
// CHECK-NEXT:     } {spmd.work_items = array<i64: 0>}
func.func @private(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %a = memref.alloca() : memref<8xf32>
    %part = memref.subview %a[2] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: 2>>
    %line = memref.reinterpret_cast %a to offset: [1], sizes: [2], strides: [3] : memref<8xf32> to memref<2xf32, strided<[3], offset: 1>>
    %v = memref.load %part[%c1] : memref<2xf32, strided<[1], offset: 2>>
    memref.store %v, %line[%c1] : memref<2xf32, strided<[3], offset: 1>>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A choice becomes a branch, and its reinterpreted memory counts from the start.

// CHECK-LABEL: func.func @choice
// CHECK:          scf.for %lx = %c0 to %n step %c1 {
// CHECK-NEXT:       %odd = arith.cmpi ult, %lx, %m : index
// CHECK-NEXT:       %v = scf.if %odd -> (i32) {
// CHECK-NEXT:         %v_1 = memref.load %x[%lx, %c0] : memref<?x?xi32>
// CHECK-NEXT:         scf.yield %v_1 : i32
// CHECK-NEXT:       } else {
// CHECK-NEXT:         %v_2 = memref.load %y[%lx, %c0] : memref<?x?xi32>
// CHECK-NEXT:         scf.yield %v_2 : i32
// CHECK-NEXT:       }
// CHECK-NEXT:       %at = arith.addi %m, %lx : index
// CHECK-NEXT:       %old = scf.if %odd -> (i32) {
// CHECK-NEXT:         %x_1 = memref.reinterpret_cast %x to offset: [0], sizes: [%c9223372036854775807], strides: [1] : memref<?x?xi32> to memref<?xi32, strided<[1]>>
// CHECK-NEXT:         %old_1 = spmd.atomic_rmw add %v, %x_1[%at] : memref<?xi32, strided<[1]>>
// CHECK-NEXT:         scf.yield %old_1 : i32
// CHECK-NEXT:       } else {
// CHECK-NEXT:         %y_1 = memref.reinterpret_cast %y to offset: [0], sizes: [%c9223372036854775807], strides: [1] : memref<?x?xi32> to memref<?xi32, strided<[1]>>
// CHECK-NEXT:         %old_2 = spmd.atomic_rmw add %v, %y_1[%at] : memref<?xi32, strided<[1]>>
// CHECK-NEXT:         scf.yield %old_2 : i32
// CHECK-NEXT:       }
// CHECK-NEXT:     } {spmd.work_items = array<i64: 0>}
func.func @choice(%x: memref<?x?xi32>, %y: memref<?x?xi32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %odd = arith.cmpi ult, %lx, %m : index
    %to = arith.select %odd, %x, %y : memref<?x?xi32>
    %line = memref.reinterpret_cast %to to offset: [%m], sizes: [%n], strides: [1] : memref<?x?xi32> to memref<?xi32, strided<[1], offset: ?>>
    %v = memref.load %to[%lx, %c0] : memref<?x?xi32>
    %old = spmd.atomic_rmw add %v, %line[%lx] : memref<?xi32, strided<[1], offset: ?>>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What is the same in all lanes stays.

// CHECK-LABEL: func.func @uniform
// CHECK:          scf.for %lx = %c0 to %n step %c1 {
// CHECK-NEXT:       %first = arith.cmpi ult, %m, %n : index
// CHECK-NEXT:       %to = arith.select %first, %x, %y : memref<?xf32>
// CHECK-NEXT:       %part = memref.subview %to[%m] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT:       %v = memref.load %part[%lx] : memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT:       memref.store %v, %to[%lx] : memref<?xf32>
// CHECK-NEXT:     } {spmd.work_items = array<i64: 0>}
func.func @uniform(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %first = arith.cmpi ult, %m, %n : index
    %to = arith.select %first, %x, %y : memref<?xf32>
    %part = memref.subview %to[%m] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %v = memref.load %part[%lx] : memref<?xf32, strided<[1], offset: ?>>
    memref.store %v, %to[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Of several dimensions with one element some may be left out: whichever, their index is 0.

// CHECK-LABEL: func.func @one_of_two
// CHECK:         memref.load %x[%lx, %k, %j] : memref<?x?x4xf32>
func.func @one_of_two(%x: memref<?x?x4xf32>, %n: index, %k: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %row = memref.subview %x[%lx, %k, 0] [1, 1, 4] [1, 1, 1] : memref<?x?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %v = memref.load %row[%c0, %j] : memref<1x4xf32, strided<[4, 1], offset: ?>>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
