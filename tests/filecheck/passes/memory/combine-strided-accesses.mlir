// RUN: xdsl-opt %s -p 'combine-strided-accesses{target=x86-64-v4}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'combine-strided-accesses{target=x86-64-v4},combine-strided-accesses{target=x86-64-v4}' --split-input-file | filecheck %s

// Complex numbers: what lies between the parts of one kind are those of the other.

// CHECK-LABEL: func.func @complex(
// CHECK:         %x_flat = memref.collapse_shape %x {{\[\[}}0 : i64, 1 : i64{{\]\]}} : memref<?x2xf32> into memref<?xf32>
// CHECK-NEXT:    %i_1 = arith.muli %i, %c2 : index
// CHECK-NEXT:    %x_flat_part = vector.load %x_flat[%i_1] {spmd.access = "strided", spmd.why = "so"} : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    %re = vector.shuffle %x_flat_part, %x_flat_part [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    %im = vector.shuffle %x_flat_part, %x_flat_part [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    %a = arith.mulf %re, %im : vector<4xf32>
// CHECK-NEXT:    %y_flat = memref.collapse_shape %y {{\[\[}}0 : i64, 1 : i64{{\]\]}} : memref<?x2xf32> into memref<?xf32>
// CHECK-NEXT:    %i_2 = arith.muli %i, %c2 : index
// CHECK-NEXT:    [[V0:%\w+]] = vector.shuffle %re, %a [0, 4, 1, 5, 2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store [[V0]], %y_flat[%i_2] {spmd.access = "strided"} : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    func.return
func.func @complex(%x: memref<?x2xf32>, %y: memref<?x2xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c2_lanes : vector<4xindex>
  %re = vector.gather %x[%i, %c0] [%steps], %on, %off {spmd.access = "gather", spmd.why = "so"} : memref<?x2xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %im = vector.gather %x[%i, %c1] [%steps], %on, %off : memref<?x2xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %a = arith.mulf %re, %im : vector<4xf32>
  vector.scatter %y[%i, %c1] [%steps], %on, %a : memref<?x2xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  vector.scatter %y[%i, %c0] [%steps], %on, %re : memref<?x2xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  func.return
}

// -----

// Three of four: the last part ends with the last element that is asked for, and the
// gathers may stand in any order.

// CHECK-LABEL: func.func @norm(
// CHECK:         %i1 = arith.addi %i, %c1 : index
// CHECK-NEXT:    %i2 = arith.addi %i1, %c1 : index
// CHECK-NEXT:    %i2_1 = arith.addi %i2, %cm2 : index
// CHECK-NEXT:    %p_part = vector.load %p[%i2_1] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %i2_2 = arith.addi %i2_1, %c4 : index
// CHECK-NEXT:    %p_part_1 = vector.load %p[%i2_2] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    [[V0:%\w+]] = vector.shuffle %p_part, %p_part_1 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %i2_3 = arith.addi %i2_1, %c8 : index
// CHECK-NEXT:    %p_part_2 = vector.load %p[%i2_3] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    [[V1:%\w+]] = vector.shuffle [[V0]], %p_part_2 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] : vector<8xf32>, vector<4xf32>
// CHECK-NEXT:    %i2_4 = arith.addi %i2_1, %c11 : index
// CHECK-NEXT:    %p_part_3 = vector.load %p[%i2_4] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    [[V2:%\w+]] = vector.shuffle [[V1]], %p_part_3 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15] : vector<12xf32>, vector<4xf32>
// CHECK-NEXT:    %c = vector.shuffle [[V2]], [[V2]] [2, 6, 10, 14] : vector<15xf32>, vector<15xf32>
// CHECK-NEXT:    %a = vector.shuffle [[V2]], [[V2]] [0, 4, 8, 12] : vector<15xf32>, vector<15xf32>
// CHECK-NEXT:    %b = vector.shuffle [[V2]], [[V2]] [1, 5, 9, 13] : vector<15xf32>, vector<15xf32>
// CHECK-NEXT:    %ab = arith.addf %a, %b : vector<4xf32>
// CHECK-NEXT:    %abc = arith.addf %ab, %c : vector<4xf32>
// CHECK-NEXT:    func.return %abc : vector<4xf32>
func.func @norm(%p: memref<?xf32>, %i: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4_lanes = arith.constant dense<4> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c4_lanes : vector<4xindex>
  %i1 = arith.addi %i, %c1 : index
  %i2 = arith.addi %i1, %c1 : index
  %c = vector.gather %p[%i2] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %a = vector.gather %p[%i] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %p[%i1] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %ab = arith.addf %a, %b : vector<4xf32>
  %abc = arith.addf %ab, %c : vector<4xf32>
  func.return %abc : vector<4xf32>
}

// -----

// Under masks: of the first lanes by their number, of any others by a shuffle. What is
// between the last element of one lane and the next lane is not touched.

// CHECK-LABEL: func.func @masked(
// CHECK:         %x_flat = memref.collapse_shape %x {{\[\[}}0 : i64, 1 : i64{{\]\]}} : memref<?x3xf32> into memref<?xf32>
// CHECK-NEXT:    %i_1 = arith.muli %i, %c3 : index
// CHECK-NEXT:    %n_1 = arith.minsi %n, %c4 : index
// CHECK-NEXT:    %elements = arith.muli %n_1, %c3 : index
// CHECK-NEXT:    %elements_1 = arith.addi %elements, %cm1 : index
// CHECK-NEXT:    %first = vector.create_mask %elements_1 : vector<12xi1>
// CHECK-NEXT:    %x_flat_part = vector.maskedload %x_flat[%i_1], %first, %zeros {spmd.access = "strided"} : memref<?xf32>, vector<12xi1>, vector<12xf32> into vector<12xf32>
// CHECK-NEXT:    %a = vector.shuffle %x_flat_part, %x_flat_part [0, 3, 6, 9] : vector<12xf32>, vector<12xf32>
// CHECK-NEXT:    %b = vector.shuffle %x_flat_part, %x_flat_part [1, 4, 7, 10] : vector<12xf32>, vector<12xf32>
// CHECK-NEXT:    %x_flat_1 = memref.collapse_shape %x {{\[\[}}0 : i64, 1 : i64{{\]\]}} : memref<?x3xf32> into memref<?xf32>
// CHECK-NEXT:    %i_2 = arith.muli %i, %c3 : index
// CHECK-NEXT:    %some_1 = vector.shuffle %some, %none [0, 0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4] : vector<4xi1>, vector<4xi1>
// CHECK-NEXT:    %x_flat_part_1 = vector.maskedload %x_flat_1[%i_2], %some_1, %zeros {spmd.access = "strided"} : memref<?xf32>, vector<12xi1>, vector<12xf32> into vector<12xf32>
// CHECK-NEXT:    %c = vector.shuffle %x_flat_part_1, %x_flat_part_1 [0, 3, 6, 9] : vector<12xf32>, vector<12xf32>
// CHECK-NEXT:    %d = vector.shuffle %x_flat_part_1, %x_flat_part_1 [1, 4, 7, 10] : vector<12xf32>, vector<12xf32>
// CHECK-NEXT:    %ab = arith.addf %a, %b : vector<4xf32>
// CHECK-NEXT:    %cd = arith.addf %c, %d : vector<4xf32>
// CHECK-NEXT:    func.return %ab, %cd : vector<4xf32>, vector<4xf32>
func.func @masked(%x: memref<?x3xf32>, %n: index, %some: vector<4xi1>, %i: index) -> (vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3_lanes = arith.constant dense<3> : vector<4xindex>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c3_lanes : vector<4xindex>
  %first = vector.create_mask %n : vector<4xi1>
  %a = vector.gather %x[%i, %c0] [%steps], %first, %off : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %x[%i, %c1] [%steps], %first, %off : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %c = vector.gather %x[%i, %c0] [%steps], %some, %off : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %d = vector.gather %x[%i, %c1] [%steps], %some, %off : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %ab = arith.addf %a, %b : vector<4xf32>
  %cd = arith.addf %c, %d : vector<4xf32>
  func.return %ab, %cd : vector<4xf32>, vector<4xf32>
}

// -----

// Of so many lanes as are known, three here, it is known how many elements there are.

// CHECK-LABEL: func.func @masked_by_number(
// CHECK:         %three = vector.create_mask %c8 : vector<12xi1>
// CHECK-NEXT:    %x_flat_part = vector.maskedload %x_flat[%i_1], %three, %zeros
func.func @masked_by_number(%x: memref<?x3xf32>, %i: index) -> (vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c3_lanes = arith.constant dense<3> : vector<4xindex>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c3_lanes : vector<4xindex>
  %three = vector.create_mask %c3 : vector<4xi1>
  %a = vector.gather %x[%i, %c0] [%steps], %three, %off : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %x[%i, %c1] [%steps], %three, %off : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %a, %b : vector<4xf32>, vector<4xf32>
}

// -----

// Backwards: the lowest element is that of the last lane.

// CHECK-LABEL: func.func @backwards(
// CHECK:         %i_1 = arith.addi %i, %cm6 : index
// CHECK-NEXT:    %x_part = vector.load %x[%i_1] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %i_2 = arith.addi %i_1, %c3 : index
// CHECK-NEXT:    %x_part_1 = vector.load %x[%i_2] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    [[V0:%\w+]] = vector.shuffle %x_part, %x_part_1 [0, 1, 2, 3, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %a = vector.shuffle [[V0]], [[V0]] [6, 4, 2, 0] : vector<7xf32>, vector<7xf32>
// CHECK-NEXT:    func.return %a : vector<4xf32>
func.func @backwards(%x: memref<?xf32>, %i: index) -> vector<4xf32> {
  %cm2_lanes = arith.constant dense<-2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %cm2_lanes : vector<4xindex>
  %a = vector.gather %x[%i] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %a : vector<4xf32>
}

// -----

// Updated in place: a store of one part does not keep the loads of another apart, but
// those of the same part.

// CHECK-LABEL: func.func @in_place(
// CHECK:         %lane = vector.step : vector<4xindex>
// CHECK-NEXT:    %steps = arith.muli %lane, %c2_lanes : vector<4xindex>
// CHECK-NEXT:    %x_part = vector.load %x[%i] {spmd.access = "strided"} : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    %a = vector.shuffle %x_part, %x_part [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    %b = vector.shuffle %x_part, %x_part [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    vector.scatter %x[%i] [%steps], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    %x_part_1 = vector.load %x[%i] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %i_1 = arith.addi %i, %c3 : index
// CHECK-NEXT:    %x_part_2 = vector.load %x[%i_1] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    [[V0:%\w+]] = vector.shuffle %x_part_1, %x_part_2 [0, 1, 2, 3, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %again = vector.shuffle [[V0]], [[V0]] [0, 2, 4, 6] : vector<7xf32>, vector<7xf32>
// CHECK-NEXT:    %ab = arith.addf %a, %b : vector<4xf32>
// CHECK-NEXT:    %abc = arith.addf %ab, %again : vector<4xf32>
// CHECK-NEXT:    func.return %abc : vector<4xf32>
func.func @in_place(%x: memref<?xf32>, %i: index, %v: vector<4xf32>) -> vector<4xf32> {
  %c1 = arith.constant 1 : index
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c2_lanes : vector<4xindex>
  %i1 = arith.addi %i, %c1 : index
  %a = vector.gather %x[%i] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %x[%i] [%steps], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  %b = vector.gather %x[%i1] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %again = vector.gather %x[%i] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %ab = arith.addf %a, %b : vector<4xf32>
  %abc = arith.addf %ab, %again : vector<4xf32>
  func.return %abc : vector<4xf32>
}

// -----

// Another array may be the same, unless it is said not to be; then what is stored
// cannot wait for the second store.

// CHECK-LABEL: func.func @aliases(
// CHECK:         %lane = vector.step : vector<4xindex>
// CHECK-NEXT:    %steps = arith.muli %lane, %c2_lanes : vector<4xindex>
// CHECK-NEXT:    %i1 = arith.addi %i, %c1 : index
// CHECK-NEXT:    %j1 = arith.addi %j, %c1 : index
// CHECK-NEXT:    vector.scatter %x[%i] [%steps], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    %a = vector.load %y[%i] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    vector.scatter %x[%i1] [%steps], %on, %a : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    %b = vector.load %z[%i] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %j1_1 = arith.addi %j1, %cm1 : index
// CHECK-NEXT:    [[V0:%\w+]] = vector.shuffle %v, %b [0, 4, 1, 5, 2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store [[V0]], %x[%j1_1] {spmd.access = "strided"} : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    func.return %a, %b : vector<4xf32>, vector<4xf32>
func.func @aliases(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32> {spmd.noalias}, %i: index, %j: index, %v: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %c1 = arith.constant 1 : index
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c2_lanes : vector<4xindex>
  %i1 = arith.addi %i, %c1 : index
  %j1 = arith.addi %j, %c1 : index
  vector.scatter %x[%i] [%steps], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  %a = vector.load %y[%i] : memref<?xf32>, vector<4xf32>
  vector.scatter %x[%i1] [%steps], %on, %a : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  vector.scatter %x[%j] [%steps], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  %b = vector.load %z[%i] : memref<?xf32>, vector<4xf32>
  vector.scatter %x[%j1] [%steps], %on, %b : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  func.return %a, %b : vector<4xf32>, vector<4xf32>
}

// -----

// Left alone: a store with gaps, steps that are too long, or not known, bytes under a mask,
// rows that need not follow each other, and sums that may wrap around.

// CHECK-LABEL: func.func @left_alone(
// CHECK:         %lane = vector.step : vector<4xindex>
// CHECK-NEXT:    %by2 = arith.muli %lane, %c2_lanes : vector<4xindex>
// CHECK-NEXT:    %by9 = arith.muli %lane, %c9_lanes : vector<4xindex>
// CHECK-NEXT:    %n_lanes = vector.broadcast %n : index to vector<4xindex>
// CHECK-NEXT:    %by_n = arith.muli %lane, %n_lanes : vector<4xindex>
// CHECK-NEXT:    %lane32 = arith.index_cast %lane : vector<4xindex> to vector<4xi32>
// CHECK-NEXT:    %narrow_lanes = vector.broadcast %narrow : i32 to vector<4xi32>
// CHECK-NEXT:    %twice = arith.addi %lane32, %lane32 : vector<4xi32>
// CHECK-NEXT:    %wraps = arith.addi %twice, %narrow_lanes : vector<4xi32>
// CHECK-NEXT:    vector.scatter %x[%i] [%by2], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    [[V0:%\w+]] = vector.gather %x[%i] [%by9], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT:    [[V1:%\w+]] = vector.gather %x[%i] [%by_n], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT:    [[V2:%\w+]] = vector.gather %b[%i] [%by2], %some, %none : memref<?xi8>, vector<4xindex>, vector<4xi1>, vector<4xi8> into vector<4xi8>
// CHECK-NEXT:    [[V3:%\w+]] = vector.gather %s[%i, %c0] [%by9], %on, %off : memref<?x2xf32, strided<[3, 1]>>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT:    [[V4:%\w+]] = vector.gather %x[%i] [%wraps], %on, %off : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT:    func.return [[V0]], [[V1]], [[V2]], [[V3]], [[V4]] : vector<4xf32>, vector<4xf32>, vector<4xi8>, vector<4xf32>, vector<4xf32>
func.func @left_alone(%x: memref<?xf32>, %b: memref<?xi8>, %s: memref<?x2xf32, strided<[3, 1]>>, %n: index, %narrow: i32, %i: index, %v: vector<4xf32>, %some: vector<4xi1>) -> (vector<4xf32>, vector<4xf32>, vector<4xi8>, vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %c9_lanes = arith.constant dense<9> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %none = arith.constant dense<0> : vector<4xi8>
  %lane = vector.step : vector<4xindex>
  %by2 = arith.muli %lane, %c2_lanes : vector<4xindex>
  %by9 = arith.muli %lane, %c9_lanes : vector<4xindex>
  %n_lanes = vector.broadcast %n : index to vector<4xindex>
  %by_n = arith.muli %lane, %n_lanes : vector<4xindex>
  %lane32 = arith.index_cast %lane : vector<4xindex> to vector<4xi32>
  %narrow_lanes = vector.broadcast %narrow : i32 to vector<4xi32>
  %twice = arith.addi %lane32, %lane32 : vector<4xi32>
  %wraps = arith.addi %twice, %narrow_lanes : vector<4xi32>
  vector.scatter %x[%i] [%by2], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  %1 = vector.gather %x[%i] [%by9], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %2 = vector.gather %x[%i] [%by_n], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %3 = vector.gather %b[%i] [%by2], %some, %none : memref<?xi8>, vector<4xindex>, vector<4xi1>, vector<4xi8> into vector<4xi8>
  %4 = vector.gather %s[%i, %c0] [%by9], %on, %off : memref<?x2xf32, strided<[3, 1]>>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %5 = vector.gather %x[%i] [%wraps], %on, %off : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %1, %2, %3, %4, %5 : vector<4xf32>, vector<4xf32>, vector<4xi8>, vector<4xf32>, vector<4xf32>
}

// -----

// Twice a number is the number twice, and neighbours are seen through it.

// CHECK-LABEL: func.func @factor_first(
// CHECK-NOT:     vector.gather
// CHECK:         [[BOTH:%\w+]] = vector.load %x{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    vector.shuffle [[BOTH]], [[BOTH]] [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    vector.shuffle [[BOTH]], [[BOTH]] [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
func.func @factor_first(%x: memref<?xf32>, %i: index) -> (vector<4xf32>, vector<4xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %c2_lanes, %lane : vector<4xindex>
  %first = arith.muli %c2, %i : index
  %a = vector.gather %x[%first] [%steps], %on, %off {spmd.access = "gather", spmd.why = "so"} : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %again = arith.muli %c2, %i : index
  %second = arith.addi %again, %c1 : index
  %b = vector.gather %x[%second] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %a, %b : vector<4xf32>, vector<4xf32>
}

// -----

// Rows that have a distance of their own are seen as memory without an end.

// CHECK-LABEL: func.func @padded(
// CHECK:         %0, %1, %2, %3, %4, %5 = memref.extract_strided_metadata %x
// CHECK-NEXT:    %x_1 = memref.reinterpret_cast %0 to offset: [%1], sizes: [%c9223372036854775807], strides: [1]
// CHECK-NEXT:    %i_1 = arith.muli %i, %c4 : index
// CHECK-NEXT:    %x_part = vector.load %x_1[%i_1]
// CHECK:         %a = vector.shuffle %8, %8 [0, 4, 8, 12] : vector<14xf32>, vector<14xf32>
// CHECK-NEXT:    %b = vector.shuffle %8, %8 [1, 5, 9, 13] : vector<14xf32>, vector<14xf32>
func.func @padded(%x: memref<?x2xf32, strided<[4, 1]>>, %y: memref<?xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4_lanes = arith.constant dense<4> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c4_lanes : vector<4xindex>
  %a = vector.gather %x[%i, %c0] [%steps], %on, %off : memref<?x2xf32, strided<[4, 1]>>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %x[%i, %c1] [%steps], %on, %off : memref<?x2xf32, strided<[4, 1]>>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %s = arith.addf %a, %b : vector<4xf32>
  vector.store %s, %y[%i] : memref<?xf32>, vector<4xf32>
  func.return
}

// -----

// So is every other row of an image; how far it is to the next one is known when it runs.

// CHECK-LABEL: func.func @pixels(
// CHECK:         %x_1 = memref.reinterpret_cast %0 to offset: [%1], sizes: [%c9223372036854775807], strides: [1]
// CHECK-NEXT:    %j_1 = arith.muli %j, %5 : index
// CHECK-NEXT:    %i_1 = arith.muli %i, %c2 : index
// CHECK-NEXT:    %i_2 = arith.addi %j_1, %i_1 : index
// CHECK-NEXT:    %x_part = vector.load %x_1[%i_2]
// CHECK-NEXT:    %a = vector.shuffle %x_part, %x_part [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    %b = vector.shuffle %x_part, %x_part [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
func.func @pixels(%x: memref<?x?x2xf32, strided<[?, 2, 1]>>, %y: memref<?xf32>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c2_lanes : vector<4xindex>
  %a = vector.gather %x[%j, %i, %c0] [%steps], %on, %off : memref<?x?x2xf32, strided<[?, 2, 1]>>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %x[%j, %i, %c1] [%steps], %on, %off : memref<?x?x2xf32, strided<[?, 2, 1]>>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %s = arith.addf %a, %b : vector<4xf32>
  vector.store %s, %y[%i] : memref<?xf32>, vector<4xf32>
  func.return
}

// -----

// Backwards, in memory and in lanes.

// CHECK-LABEL: func.func @turned(
// CHECK:         %i_1 = arith.addi %i, %cm3 : index
// CHECK-NEXT:    %x_part = vector.load %x[%i_1] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %a = vector.shuffle %x_part, %x_part [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %i_2 = arith.addi %i, %cm3 : index
// CHECK-NEXT:    %0 = vector.shuffle %a, %a [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store %0, %y[%i_2] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
func.func @turned(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) {
  %cm1_lanes = arith.constant dense<-1> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %cm1_lanes : vector<4xindex>
  %a = vector.gather %x[%i] [%steps], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %y[%i] [%steps], %on, %a : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  func.return
}

// -----

// Left alone: each inactive lane has a value of its own.

// CHECK-LABEL: func.func @other_values
// CHECK-COUNT-2: vector.gather
func.func @other_values(%x: memref<?x3xf32>, %some: vector<4xi1>, %others: vector<4xf32>, %i: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3_lanes = arith.constant dense<3> : vector<4xindex>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %c3_lanes : vector<4xindex>
  %a = vector.gather %x[%i, %c0] [%steps], %some, %others : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %x[%i, %c1] [%steps], %some, %others : memref<?x3xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %ab = arith.addf %a, %b : vector<4xf32>
  func.return %ab : vector<4xf32>
}

// -----

// Neighbours trade places: the first of four is at a multiple of 64, so that its last bit is 0.

// CHECK-LABEL: func.func @swap(
// CHECK:         %at = arith.xori %id, %c1_lanes : vector<4xindex>
// CHECK-NEXT:    [[V0:%\w+]] = vector.extract %at[0] : index from vector<4xindex>
// CHECK-NEXT:    [[V1:%\w+]] = arith.addi [[V0]], %cm1 : index
// CHECK-NEXT:    %x_part = vector.load %x[[[V1]]] {spmd.access = "row", spmd.why = "lanes access 4 neighbours, in another order"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %a = vector.shuffle %x_part, %x_part [1, 0, 3, 2] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    [[V2:%\w+]] = vector.extract %at[0] : index from vector<4xindex>
// CHECK-NEXT:    [[V3:%\w+]] = vector.shuffle %a, %a [1, 0, 3, 2] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store [[V3]], %y[[[V2]]]
func.func @swap(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1_lanes = arith.constant dense<1> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  scf.for %i = %c0 to %n step %c64 {
    %ids = vector.broadcast %i : index to vector<4xindex>
    %id = arith.addi %ids, %lane : vector<4xindex>
    %at = arith.xori %id, %c1_lanes : vector<4xindex>
    %a = vector.gather %x[%c0] [%at], %on, %off {spmd.access = "gather", spmd.why = "so"} : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.scatter %y[%c1] [%at], %on, %a : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  }
  func.return
}

// -----

// Two lanes share an element, which is there if one of them is active.

// CHECK-LABEL: func.func @halves(
// CHECK:         [[V4:%\w+]] = vector.shuffle %some, %none [0, 2, 4, 4] : vector<4xi1>, vector<4xi1>
// CHECK-NEXT:    [[V5:%\w+]] = vector.shuffle %some, %none [1, 3, 4, 4] : vector<4xi1>, vector<4xi1>
// CHECK-NEXT:    %some_1 = arith.ori [[V4]], [[V5]] : vector<4xi1>
// CHECK-NEXT:    %x_part = vector.maskedload %x[{{%\w+}}], %some_1, %off
// CHECK-NEXT:    [[V6:%\w+]] = vector.shuffle %x_part, %x_part [0, 0, 1, 1] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %a = arith.select %some, [[V6]], %off : vector<4xi1>, vector<4xf32>
func.func @halves(%x: memref<?xf32>, %i: index, %some: vector<4xi1>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c4_lanes = arith.constant dense<4> : vector<4xindex>
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %is = vector.broadcast %i : index to vector<4xindex>
  %row = arith.muli %is, %c4_lanes : vector<4xindex>
  %id = arith.addi %row, %lane : vector<4xindex>
  %half = arith.divui %id, %c2_lanes : vector<4xindex>
  %a = vector.gather %x[%c0] [%half], %some, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %a : vector<4xf32>
}

// -----

// The first id may be odd; 32 bits may wrap around; of two lanes that store to one element, the
// last one does.

// CHECK-LABEL: func.func @not_known(
// CHECK-NOT:     vector.load
// CHECK-COUNT-2: vector.gather
// CHECK:         vector.scatter
func.func @not_known(%x: memref<?xf32>, %n: index, %i: index, %i32: i32, %v: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1_lanes = arith.constant dense<1> : vector<4xindex>
  %c3_lanes = arith.constant dense<3> : vector<4xi32>
  %c2_lanes = arith.constant dense<2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %is = vector.broadcast %i : index to vector<4xindex>
  %id = arith.addi %is, %lane : vector<4xindex>
  %odd = arith.xori %id, %c1_lanes : vector<4xindex>
  %a = vector.gather %x[%c0] [%odd], %on, %off : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %narrow = arith.index_cast %lane : vector<4xindex> to vector<4xi32>
  %js = vector.broadcast %i32 : i32 to vector<4xi32>
  %j = arith.addi %js, %narrow : vector<4xi32>
  %b = vector.gather %x[%c0] [%j], %on, %off : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %half = arith.divui %lane, %c2_lanes : vector<4xindex>
  vector.scatter %x[%i] [%half], %on, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  func.return %a, %b : vector<4xf32>, vector<4xf32>
}

// -----

// All lanes access elements of a small array, so that their numbers, of 32 bits, are no more apart than
// they seem; those of some lanes may wrap around before the first one that is active.

// CHECK-LABEL: func.func @small(
// CHECK:         %x_part = vector.load %x[{{%\w+}}] {spmd.access = "row", spmd.why = "lanes access 4 neighbours, in another order"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %a = vector.shuffle %x_part, %x_part [0, 0, 3, 3] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %b = vector.gather %x
func.func @small(%x: memref<?xf32> {spmd.small}, %k: i32, %some: vector<4xi1>) -> (vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %ahead = arith.constant dense<[0, 0, 3, 3]> : vector<4xi32>
  %ks = vector.broadcast %k : i32 to vector<4xi32>
  %at = arith.addi %ks, %ahead : vector<4xi32>
  %a = vector.gather %x[%c0] [%at], %on, %off : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %x[%c0] [%at], %some, %off : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %a, %b : vector<4xf32>, vector<4xf32>
}
