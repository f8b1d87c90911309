// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// Sums and shifts of `index` are computed in 32 bits where only indices of small arrays are asked
// of them; what is shifted by 32 or more bits has none left.

// CHECK-LABEL: func.func @small_array
// CHECK:         %shift_low = arith.index_cast %shift : index to i32
// CHECK:         [[AMOUNT:%\w+]] = arith.minui %shift_low_lanes, %c31_lanes : vector<16xi32>
// CHECK-NEXT:    %block = arith.shrui %{{.*}}, [[AMOUNT]] : vector<16xi32>
// CHECK-NEXT:    [[FAR:%\w+]] = arith.cmpi ugt, %shift_low_lanes, %c31_lanes : vector<16xi32>
// CHECK-NEXT:    [[PAIR:%\w+]] = arith.shli %block, %shift_low_lanes : vector<16xi32>
// CHECK-NEXT:    %pair = arith.select [[FAR]], %{{.*}}, [[PAIR]] : vector<16xi1>, vector<16xi32>
// CHECK:         %odd = arith.addi %pair, %{{.*}} : vector<16xi32>
// CHECK:         vector.gather %s[%c0] [%odd], {{.*}} vector<16xi32>, vector<16xi1>
// CHECK-NOT:     vector<16xindex>
// CHECK:         func.return
func.func @small_array(%s: memref<512xf32>, %y: memref<?xf32>, %from: index, %shift: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  scf.for %first = %c0 to %c256 step %c256 {
    spmd.sub_group (%i) shape [16] at (%first) {
      %block = arith.shrui %i, %shift : index
      %pair = arith.shli %block, %shift : index
      %odd = arith.addi %pair, %from : index
      %v = memref.load %s[%odd] : memref<512xf32>
      memref.store %v, %y[%i] : memref<?xf32>
    }
  }
  func.return
}

// -----

// An index of an array of any size may need all bits, and so does what is stored.

// CHECK-LABEL: func.func @any_array
// CHECK:         %odd = arith.addi %{{.*}} : vector<16xindex>
// CHECK:         %wide = arith.muli %{{.*}} : vector<16xindex>
func.func @any_array(%x: memref<?xf32>, %s: memref<512xi32>, %y: memref<?xindex>, %i: index) {
  spmd.sub_group (%l) shape [16] at (%i) {
    %j = memref.load %s[%l] : memref<512xi32>
    %k = arith.index_cast %j : i32 to index
    %odd = arith.addi %k, %k : index
    %v = memref.load %x[%odd] : memref<?xf32>
    memref.store %v, %x[%l] : memref<?xf32>
    %wide = arith.muli %k, %k : index
    memref.store %wide, %y[%l] : memref<?xindex>
  }
  func.return
}

// -----

// What has no more bits is compared in 32, and signed numbers keep their sign in shifts; an
// unsigned shift brings in the upper bits.

// CHECK-LABEL: func.func @compared
// CHECK:         %less = arith.cmpi slt, %j, %{{.*}} : vector<16xi32>
// CHECK:         [[AMOUNT:%\w+]] = arith.minui %{{.*}}, %c31_lanes : vector<16xi32>
// CHECK-NEXT:    %half = arith.shrsi %j, [[AMOUNT]] : vector<16xi32>
// CHECK:         %unsigned = arith.cmpi ult, %j, %{{.*}} : vector<16xi32>
// CHECK:         %upper = arith.shrui %{{.*}} : vector<16xindex>
func.func @compared(%s: memref<512xi32>, %y: memref<512xi1>, %shift: index, %i: index) {
  %c7 = arith.constant 7 : index
  spmd.sub_group (%l) shape [16] at (%i) {
    %j = memref.load %s[%l] : memref<512xi32>
    %k = arith.index_cast %j : i32 to index
    %less = arith.cmpi slt, %k, %c7 : index
    memref.store %less, %y[%l] : memref<512xi1>
    %half = arith.shrsi %k, %shift : index
    memref.store %less, %y[%half] : memref<512xi1>
    %unsigned = arith.cmpi ult, %k, %c7 : index
    memref.store %unsigned, %y[%l] : memref<512xi1>
    %upper = arith.shrui %k, %shift : index
    memref.store %less, %y[%upper] : memref<512xi1>
  }
  func.return
}

// -----

// What is marked small needs 32 bits for its indices, whatever its type, and so do its sizes:
// those of lanes along rows of unknown length may be far outside of it in lanes that do not exist.

// CHECK-LABEL: func.func @marked_small
// CHECK:         %far = arith.muli %a, %c3_i32_lanes : vector<16xi32>
// CHECK:         vector.gather %x[%c0] [%far], {{.*}} vector<16xi32>
// CHECK:         %inside = arith.cmpi slt, %a, %{{.*}} : vector<16xi32>
// CHECK:         vector.gather %m[%c0, %c0] [%{{.*}}], {{.*}} vector<16xi32>
// CHECK:         vector.gather %m[%i, %c0] [%{{.*}}], {{.*}} vector<16xindex>
func.func @marked_small(%x: memref<?xf32> {spmd.small}, %m: memref<?x?xf32> {spmd.small}, %at: memref<16xi32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  spmd.sub_group (%l) shape [16] at (%i) {
    %a = memref.load %at[%l] : memref<16xi32>
    %b = arith.index_cast %a : i32 to index
    %far = arith.muli %b, %c3 : index
    %v = memref.load %x[%far] : memref<?xf32>
    %inside = arith.cmpi slt, %b, %n : index
    %w = memref.load %m[%b, %b] : memref<?x?xf32>
    %u = memref.load %m[%l, %b] : memref<?x?xf32>
    %s = arith.addf %v, %w : f32
    %t = arith.addf %s, %u : f32
    %r = arith.select %inside, %t, %v : f32
    memref.store %r, %x[%l] : memref<?xf32>
  }
  func.return
}

// -----

// Ids of few work-items are shifted in 32 bits, and those of any number in 64.

// CHECK-LABEL: func.func @few_items
// CHECK:         %block = arith.shrui %{{.*}} : vector<16xi32>
// CHECK-LABEL: func.func @any_items
// CHECK:         %block = arith.shrui %{{.*}} : vector<16xindex>
func.func @few_items(%x: memref<?xf32> {spmd.small}, %shift: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index)
    attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 16, 1, 1>, spmd.few_items} {
  %c16 = arith.constant 16 : index
  %base = arith.muli %gx, %c16 overflow<nsw,nuw> : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %block = arith.shrui %i, %shift : index
    %v = memref.load %x[%block] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  func.return
}

func.func @any_items(%x: memref<?xf32> {spmd.small}, %shift: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index)
    attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 16, 1, 1>} {
  %c16 = arith.constant 16 : index
  %base = arith.muli %gx, %c16 overflow<nsw,nuw> : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %block = arith.shrui %i, %shift : index
    %v = memref.load %x[%block] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Nobody asks whether a known number of places is too many.

// CHECK-LABEL: func.func @known_shift
// CHECK:         %half = arith.shrui %j, %{{.*}} : vector<16xi32>
// CHECK-NEXT:    %odd = arith.addi %half, %{{.*}} : vector<16xi32>
// CHECK-NOT:     arith.select
func.func @known_shift(%s: memref<512xf32>, %t: memref<512xi32>, %from: index, %i: index) {
  %c1 = arith.constant 1 : index
  %c511 = arith.constant 511 : index
  spmd.sub_group (%l) shape [16] at (%i) {
    %n = memref.load %t[%l] : memref<512xi32>
    %m = arith.index_cast %n : i32 to index
    %j = arith.andi %m, %c511 : index
    %half = arith.shrui %j, %c1 : index
    %odd = arith.addi %half, %from : index
    %v = memref.load %s[%odd] : memref<512xf32>
    memref.store %v, %s[%l] : memref<512xf32>
  }
  func.return
}

// -----

// What rows have in vectors is cut row by row, once for rows that have the same.

// CHECK-LABEL: func.func @rows
// CHECK:         [[WRAPPED:%\w+]] = arith.index_cast %b : vector<2xindex> to vector<2xi32>
// CHECK-NOT:     vector<2xindex> to
// CHECK:         vector.shuffle [[WRAPPED]], [[WRAPPED]] [0, 1, 2, 3] : vector<2xi32>, vector<2xi32>
// CHECK:         %d = arith.addi %{{.*}} : vector<4xi32>
func.func @rows(%s: memref<64xf64>, %y: memref<?x?xf64>, %x0: index, %y0: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  spmd.sub_group (%lx, %ly) shape [2, 2] at (%x0, %y0) {
    %a = arith.addi %lx, %c1 : index
    %b = arith.remui %a, %n : index
    %c = arith.muli %ly, %c4 : index
    %d = arith.addi %c, %b : index
    %v = memref.load %s[%d] : memref<64xf64>
    memref.store %v, %y[%ly, %lx] : memref<?x?xf64>
  }
  func.return
}
