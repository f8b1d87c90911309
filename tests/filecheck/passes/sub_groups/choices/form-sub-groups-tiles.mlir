// RUN: xdsl-opt %s -p 'form-sub-groups{shape=8,4}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{width=16}' --split-input-file | filecheck %s --check-prefix=BEST
// RUN: xdsl-opt %s -p 'form-sub-groups{target="x86-64-v4"}' --split-input-file | filecheck %s --check-prefix=AUTO
// RUN: xdsl-opt %s -p 'form-sub-groups{target="x86-64-v3"}' --split-input-file | filecheck %s --check-prefix=SHORT

// Tiles that fit need no test; rows first. Where y is the contiguous dimension, lanes go
// along it when they may.

// CHECK-LABEL: func.func @whole
// CHECK:         scf.for %first_ly = %c0 to %c16 step %c4 {
// CHECK-NEXT:      scf.for %first_lx = %c0 to %c16 step %c8 {
// CHECK-NEXT:        spmd.sub_group (%lx, %ly) shape [8, 4] at (%first_lx, %first_ly) {
// CHECK-NEXT:          %v = memref.load %x[%lx, %ly] : memref<16x16xf32>
// CHECK-NEXT:          memref.store %v, %x[%lx, %ly] : memref<16x16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// BEST-LABEL: func.func @whole
// BEST:         scf.for %lx = %c0 to %c16 step %c1 {
// BEST-NEXT:      spmd.sub_group (%ly) shape [16] at (%c0) {
// BEST-NEXT:        memref.load %x[%lx, %ly]
func.func @whole(%x: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %ly = %c0 to %c16 step %c1 {
    scf.for %lx = %c0 to %c16 step %c1 {
      %v = memref.load %x[%lx, %ly] : memref<16x16xf32>
      memref.store %v, %x[%lx, %ly] : memref<16x16xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// A tile that may go beyond an end is asked whether it does. A loop that is too short has
// fewer lanes. With registers of 128 bits four of them fill one: more rows gain too little.

// CHECK-LABEL: func.func @part
// CHECK:         scf.for %first_ly = %c0 to %n step %c4 {
// CHECK-NEXT:      scf.for %first_lx = %c0 to %c4 step %c4 {
// CHECK-NEXT:        %count = arith.subi %n, %first_ly : index
// CHECK-NEXT:        %full = arith.cmpi sge, %count, %c4 : index
// CHECK-NEXT:        scf.if %full {
// CHECK-NEXT:          spmd.sub_group (%lx, %ly) shape [4, 4] at (%first_lx, %first_ly) {
// CHECK:             } else {
// CHECK-NEXT:          spmd.sub_group ({{.*}}) shape [4, 4] at (%first_lx, %first_ly) count %c4, %count {

// BEST-LABEL: func.func @part
// BEST:         scf.for %ly = %c0 to %n step %c1 {
// BEST:           shape [4] at
func.func @part(%x: memref<?x4xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c15 = arith.constant 15 : index
  %n = arith.andi %m, %c15 : index
  scf.for %ly = %c0 to %n step %c1 {
    scf.for %lx = %c0 to %c4 step %c1 {
      %v = memref.load %x[%ly, %lx] : memref<?x4xf32>
      memref.store %v, %x[%ly, %lx] : memref<?x4xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// A loop whose end depends on another is not put anywhere else; lanes go along it alone.

// CHECK-LABEL: func.func @triangle
// CHECK:         scf.for %ly = %c0 to %c16 step %c1 {
// CHECK:           spmd.sub_group (%lx) shape [8]
func.func @triangle(%x: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %ly = %c0 to %c16 step %c1 {
    scf.for %lx = %c0 to %ly step %c1 {
      %v = memref.load %x[%lx, %ly] : memref<16x16xf32>
      memref.store %v, %x[%lx, %ly] : memref<16x16xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// What is loaded along x and stored along y goes through a tile in registers, which is square.

// CHECK-LABEL: func.func @transpose
// AUTO-LABEL: func.func @transpose
// AUTO:         spmd.sub_group (%lx, %ly) shape [16, 16] at
func.func @transpose(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %v = memref.load %x[%ly, %lx] : memref<64x64xf32>
      memref.store %v, %y[%lx, %ly] : memref<64x64xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// The same of long and of short elements: each lane alone would go to a row of its own.

// AUTO-LABEL: func.func @transposes
// AUTO:         spmd.sub_group (%lx, %ly) shape [16, 8] at
// AUTO:         spmd.sub_group (%lx_1, %ly_1) shape [32, 8] at
// SHORT-LABEL: func.func @transposes
// SHORT:        spmd.sub_group (%lx, %ly) shape [8, 4] at
// SHORT:        spmd.sub_group (%lx_1, %ly_1) shape [8, 4] at
func.func @transposes(%x: memref<64x64xf64>, %y: memref<64x64xf64>, %v: memref<64x64xi8>, %w: memref<64x64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %e = memref.load %x[%ly, %lx] : memref<64x64xf64>
      memref.store %e, %y[%lx, %ly] : memref<64x64xf64>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  scf.for %ly_1 = %c0 to %c64 step %c1 {
    scf.for %lx_1 = %c0 to %c64 step %c1 {
      %f = memref.load %v[%ly_1, %lx_1] : memref<64x64xi8>
      memref.store %f, %w[%lx_1, %ly_1] : memref<64x64xi8>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Rows of lanes fill cache lines: those of other rows may want the same place in the cache.

// SHORT-LABEL: func.func @nine
// SHORT:         spmd.sub_group (%lx, %ly) shape [8, 2] at
func.func @nine(%x: memref<66x66xf64>, %y: memref<64x64xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %ly1 = arith.addi %ly, %c1 : index
      %ly2 = arith.addi %ly, %c2 : index
      %lx1 = arith.addi %lx, %c1 : index
      %lx2 = arith.addi %lx, %c2 : index
      %a = memref.load %x[%ly, %lx] : memref<66x66xf64>
      %b = memref.load %x[%ly, %lx1] : memref<66x66xf64>
      %c = memref.load %x[%ly, %lx2] : memref<66x66xf64>
      %d = memref.load %x[%ly1, %lx] : memref<66x66xf64>
      %e = memref.load %x[%ly1, %lx1] : memref<66x66xf64>
      %f = memref.load %x[%ly1, %lx2] : memref<66x66xf64>
      %g = memref.load %x[%ly2, %lx] : memref<66x66xf64>
      %h = memref.load %x[%ly2, %lx1] : memref<66x66xf64>
      %i = memref.load %x[%ly2, %lx2] : memref<66x66xf64>
      %ab = arith.addf %a, %b : f64
      %cd = arith.addf %c, %d : f64
      %ef = arith.addf %e, %f : f64
      %gh = arith.addf %g, %h : f64
      %ad = arith.addf %ab, %cd : f64
      %eh = arith.addf %ef, %gh : f64
      %ah = arith.addf %ad, %eh : f64
      %all = arith.addf %ah, %i : f64
      memref.store %all, %y[%ly, %lx] : memref<64x64xf64>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Of a local array lanes gather: a tile would access lines of memory in bursts.

// CHECK-LABEL: func.func @transpose_local
// AUTO-LABEL: func.func @transpose_local
// AUTO:         spmd.sub_group (%lx) shape [64] at
func.func @transpose_local(%y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tile = memref.alloca() {spmd.group_memory} : memref<64x64xf32>
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %v = memref.load %tile[%lx, %ly] : memref<64x64xf32>
      memref.store %v, %y[%ly, %lx] : memref<64x64xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Rows of a stencil that meet are loaded once, also where loops go over its points.

// CHECK-LABEL: func.func @stencil
// AUTO-LABEL: func.func @stencil
// AUTO:         spmd.sub_group (%lx, %ly) shape [8, 4] at
func.func @stencil(%x: memref<66x66xf64>, %y: memref<64x64xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %i = arith.addi %lx, %c1 : index
      %j = arith.addi %ly, %c1 : index
      %below = arith.addi %ly, %c2 : index
      %right = arith.addi %lx, %c2 : index
      %a = memref.load %x[%j, %i] : memref<66x66xf64>
      %b = memref.load %x[%ly, %i] : memref<66x66xf64>
      %c = memref.load %x[%below, %i] : memref<66x66xf64>
      %d = memref.load %x[%j, %lx] : memref<66x66xf64>
      %e = memref.load %x[%j, %right] : memref<66x66xf64>
      %ab = arith.addf %a, %b : f64
      %cd = arith.addf %c, %d : f64
      %abcd = arith.addf %ab, %cd : f64
      %sum = arith.addf %abcd, %e : f64
      memref.store %sum, %y[%ly, %lx] : memref<64x64xf64>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// CHECK-LABEL: func.func @box
// AUTO-LABEL: func.func @box
// AUTO:         spmd.sub_group (%lx, %ly) shape [8, 4] at
func.func @box(%x: memref<66x66xf64>, %y: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %sum = scf.for %r = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (f64) {
        %row = scf.for %c = %c0 to %c3 step %c1 iter_args(%t = %s) -> (f64) {
          %j = arith.addi %ly, %r : index
          %i = arith.addi %lx, %c : index
          %v = memref.load %x[%j, %i] : memref<66x66xf64>
          %more = arith.addf %t, %v : f64
          scf.yield %more : f64
        }
        scf.yield %row : f64
      }
      memref.store %sum, %y[%ly, %lx] : memref<64x64xf64>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Where points in a row become chunks, the rows of a tile that meet are chunks as well.

// AUTO-LABEL: func.func @neighbours
// AUTO:         spmd.sub_group (%lx, %ly) shape [8, 4] at
// SHORT-LABEL: func.func @neighbours
// SHORT:        spmd.sub_group (%lx) shape [16] at
func.func @neighbours(%x: memref<66x66xf64>, %y: memref<64x64xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %i = arith.addi %lx, %c1 : index
      %j = arith.addi %ly, %c1 : index
      %below = arith.addi %ly, %c2 : index
      %right = arith.addi %lx, %c2 : index
      %a = memref.load %x[%ly, %i] : memref<66x66xf64>
      %b = memref.load %x[%below, %i] : memref<66x66xf64>
      %c = memref.load %x[%j, %lx] : memref<66x66xf64>
      %d = memref.load %x[%j, %right] : memref<66x66xf64>
      %ab = arith.addf %a, %b : f64
      %cd = arith.addf %c, %d : f64
      %sum = arith.addf %ab, %cd : f64
      memref.store %sum, %y[%ly, %lx] : memref<64x64xf64>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Where one loop has one work-item, lanes go along the other, in rows.

// CHECK-LABEL: func.func @column
// CHECK:         scf.for %first = %c0 to %c16 step %c4 {
// CHECK-NEXT:      spmd.sub_group (%ly) shape [4] at (%first) {
func.func @column(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %ly = %c0 to %c16 step %c1 {
    scf.for %lx = %c0 to %c1 step %c1 {
      %v = memref.load %x[%ly] : memref<16xf32>
      memref.store %v, %x[%ly] : memref<16xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Loops that begin later have fewer work-items.

// CHECK-LABEL: func.func @later
// CHECK:         spmd.sub_group (%lx, %ly) shape [8, 2]
// BEST-LABEL: func.func @later
// BEST:         spmd.sub_group (%lx) shape [8]
func.func @later(%x: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c14 = arith.constant 14 : index
  %c16 = arith.constant 16 : index
  scf.for %ly = %c14 to %c16 step %c1 {
    scf.for %lx = %c8 to %c16 step %c1 {
      %v = memref.load %x[%ly, %lx] : memref<16x16xf32>
      memref.store %v, %x[%ly, %lx] : memref<16x16xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Four registers of sums wait for each other; eight do not, though they load not much less.

// SHORT-LABEL: func.func @product
// SHORT:         spmd.sub_group ({{.*}}) shape [16, 4] at
func.func @product(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (f32) {
        %x = memref.load %a[%ly, %k] : memref<64x64xf32>
        %y = memref.load %b[%k, %lx] : memref<64x64xf32>
        %t = math.fma %x, %y, %s : f32
        scf.yield %t : f32
      }
      memref.store %sum, %c[%ly, %lx] : memref<64x64xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Rows of a stencil that meet are one, but not if each load is under a mask of its own.

// AUTO-LABEL: func.func @together
// AUTO:         shape [16, 4]
// AUTO-LABEL: func.func @under_masks
// AUTO:         shape [64]
func.func @together(%m: memref<?x64xi32>, %x: memref<?x64xi32>, %y: memref<4x64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %ly = %c0 to %c4 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %ly1 = arith.addi %ly, %c1 : index
      %ly2 = arith.addi %ly, %c2 : index
      %ly3 = arith.addi %ly, %c3 : index
      %a = memref.load %x[%ly, %lx] : memref<?x64xi32>
      %b = memref.load %x[%ly1, %lx] : memref<?x64xi32>
      %c = memref.load %x[%ly2, %lx] : memref<?x64xi32>
      %d = memref.load %x[%ly3, %lx] : memref<?x64xi32>
      %ab = arith.maxsi %a, %b : i32
      %abc = arith.maxsi %ab, %c : i32
      %abcd = arith.maxsi %abc, %d : i32
      memref.store %abcd, %y[%ly, %lx] : memref<4x64xi32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

func.func @under_masks(%m: memref<?x64xi32>, %x: memref<?x64xi32>, %y: memref<4x64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %ly = %c0 to %c4 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %ly1 = arith.addi %ly, %c1 : index
      %ly2 = arith.addi %ly, %c2 : index
      %ly3 = arith.addi %ly, %c3 : index
      %a = memref.load %x[%ly, %lx] : memref<?x64xi32>
      %on = arith.cmpi sgt, %a, %zero : i32
      %ab = scf.if %on -> (i32) {
        %b = memref.load %x[%ly1, %lx] : memref<?x64xi32>
        scf.yield %b : i32
      } else {
        scf.yield %a : i32
      }
      %on1 = arith.cmpi sgt, %ab, %zero : i32
      %abc = scf.if %on1 -> (i32) {
        %c = memref.load %x[%ly2, %lx] : memref<?x64xi32>
        scf.yield %c : i32
      } else {
        scf.yield %ab : i32
      }
      %on2 = arith.cmpi sgt, %abc, %zero : i32
      %abcd = scf.if %on2 -> (i32) {
        %d = memref.load %x[%ly3, %lx] : memref<?x64xi32>
        scf.yield %d : i32
      } else {
        scf.yield %abc : i32
      }
      memref.store %abcd, %y[%ly, %lx] : memref<4x64xi32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}
