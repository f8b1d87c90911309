// RUN: xdsl-opt %s -p 'version-gathers{target=x86-64-v4}' | filecheck %s

// The lanes of a butterfly may access neighbours: that is asked once for both of its sides.
// CHECK-LABEL: func.func @butterfly
func.func @butterfly(%x: memref<?xf64>, %base: index, %shift: index, %distance: index) {
  %c0 = arith.constant 0 : index
  %all_on = arith.constant dense<true> : vector<16xi1>
  %zeros = arith.constant dense<0.0> : vector<16xf64>
  %bases = vector.broadcast %base : index to vector<16xindex>
  %shifts = vector.broadcast %shift : index to vector<16xindex>
  %distances = vector.broadcast %distance : index to vector<16xindex>
  %lane = vector.step : vector<16xindex>
  // CHECK: [[LEFT:%.*]] = arith.shrui
  // CHECK-NEXT: [[RIGHT:%.*]] = arith.addi [[LEFT]], %distances
  %i = arith.addi %bases, %lane : vector<16xindex>
  %left = arith.shrui %i, %shifts : vector<16xindex>
  %right = arith.addi %left, %distances : vector<16xindex>
  // CHECK-NEXT: [[STARTS:%.*]] = vector.shuffle [[LEFT]], [[LEFT]] [0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8]
  // CHECK-NEXT: [[ROW:%.*]] = arith.addi [[STARTS]], %steps
  // CHECK-NEXT: [[SAME:%.*]] = arith.cmpi eq, [[LEFT]], [[ROW]]
  // CHECK-NEXT: [[ROWS:%.*]] = vector.reduction <and>, [[SAME]]
  // CHECK-NEXT: [[FIRST:%.*]] = vector.extract [[LEFT]][0]
  // CHECK-NEXT: [[LAST:%.*]] = vector.extract [[LEFT]][7]
  // CHECK-NEXT: [[SPAN:%.*]] = arith.subi [[LAST]], [[FIRST]]
  // CHECK-NEXT: [[LONG:%.*]] = arith.subi %c15, [[SPAN]]
  // CHECK-NEXT: [[OTHER:%.*]] = scf.if [[ROWS]] -> (i1) {
  // CHECK-NEXT:   scf.yield %false
  // CHECK-NEXT: } else {
  // CHECK:        [[POWER:%.*]] = arith.cmpi eq, %{{.*}}, %c0
  // CHECK:        [[PLACES:%.*]] = arith.addi %{{.*}} : vector<16xindex>
  // CHECK-NEXT:   [[THERE:%.*]] = arith.addi %{{.*}}, [[PLACES]]
  // CHECK-NEXT:   [[SAME:%.*]] = arith.cmpi eq, [[LEFT]], [[THERE]]
  // CHECK-NEXT:   [[FOUND:%.*]] = vector.reduction <and>, [[SAME]]
  // CHECK-NEXT:   [[BOTH:%.*]] = arith.andi [[FOUND]], [[POWER]]
  // CHECK-NEXT:   scf.yield [[BOTH]]
  // CHECK-NEXT: }
  // CHECK-NEXT: [[V:%.*]] = scf.if [[ROWS]] -> (vector<16xf64>) {
  // CHECK-NEXT:   [[START:%.*]] = vector.extract [[RIGHT]][0]
  // CHECK-NEXT:   [[A:%.*]] = vector.load %x{{\[}}[[START]]] {{.*}} vector<8xf64>
  // CHECK-NEXT:   [[SECOND:%.*]] = vector.extract [[RIGHT]][8]
  // CHECK-NEXT:   [[B:%.*]] = vector.load %x{{\[}}[[SECOND]]] {{.*}} vector<8xf64>
  // CHECK-NEXT:   [[AB:%.*]] = vector.shuffle [[A]], [[B]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK-NEXT:   scf.yield [[AB]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   [[W:%.*]] = scf.if [[OTHER]]
  // CHECK:          [[START:%.*]] = vector.extract [[RIGHT]][0]
  // CHECK:          [[END:%.*]] = arith.addi [[START]], %ahead
  // CHECK-NEXT:     [[A:%.*]] = vector.load %x{{\[}}[[START]]] {{.*}} vector<8xf64>
  // CHECK-NEXT:     [[B:%.*]] = vector.load %x{{\[}}[[END]]] {{.*}} vector<8xf64>
  // CHECK-NEXT:     [[AB:%.*]] = vector.shuffle [[A]], [[B]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK-NEXT:     vector.store [[AB]], [[BUFFER:%.*]][%c0]
  // CHECK-NEXT:     vector.gather [[BUFFER]][%c0] {{.*}} memref<16xf64>, {{.*}} into vector<8xf64>
  // CHECK:        } else {
  // CHECK-NEXT:     [[G:%.*]] = vector.gather %x[%c0] {{\[}}[[RIGHT]]]
  // CHECK-NEXT:     scf.yield [[G]]
  // CHECK-NEXT:   }
  // CHECK-NEXT:   scf.yield [[W]]
  // CHECK-NEXT: }
  %v = vector.gather %x[%c0] [%right], %all_on, %zeros : memref<?xf64>, vector<16xindex>, vector<16xi1>, vector<16xf64> into vector<16xf64>
  // CHECK-NEXT: scf.if [[ROWS]] {
  // CHECK:        vector.shuffle [[V]], [[V]] [8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK-NEXT:   vector.store
  // CHECK-NEXT: } else {
  // CHECK:        scf.if
  // CHECK:          [[MASK:%.*]] = arith.cmpi eq, %{{.*}} : vector<16xi32>
  // CHECK:          vector.shuffle [[V]], [[V]] [0, 1, 2, 3, 4, 5, 6, 7]
  // CHECK:          vector.maskedstore %x{{.*}}, [[MASK]], {{.*}} vector<16xf64>
  // CHECK:          vector.shuffle [[V]], [[V]] [8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK:          vector.maskedstore %x{{.*}}, [[MASK]], {{.*}} vector<16xf64>
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     vector.scatter %x[%c0] {{\[}}[[LEFT]]], %all_on{{.*}}, [[V]]
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  vector.scatter %x[%c0] [%left], %all_on, %v : memref<?xf64>, vector<16xindex>, vector<16xi1>, vector<16xf64>
  func.return
}

// Inactive lanes are not asked, and what they have does not get into others: a row begins at its
// first lane, which is to be active. An index of 32
// bits must not wrap in a row. A row is at most as long as the vector.
// CHECK-LABEL: func.func @some_lanes
func.func @some_lanes(%x: memref<?xf32>, %n: i32, %on: vector<8xi1>, %old: vector<8xf32>) -> vector<8xf32> {
  %c4 = arith.constant 4 : index
  %by = vector.broadcast %n : i32 to vector<8xi32>
  %lane = vector.step : vector<8xindex>
  %lane32 = arith.index_cast %lane : vector<8xindex> to vector<8xi32>
  // CHECK: [[AT:%.*]] = arith.xori
  // CHECK-NEXT: [[FITS:%.*]] = arith.cmpi sle, [[AT]], %c2147483632_lanes
  // CHECK-NEXT: [[ACTIVE:%.*]] = arith.select %on, [[AT]], %zeros
  // CHECK-NEXT: [[STARTS:%.*]] = vector.shuffle [[ACTIVE]], [[ACTIVE]] [0, 0, 0, 0, 0, 0, 0, 0]
  // CHECK-NEXT: [[ROW:%.*]] = arith.addi [[STARTS]], %steps
  // CHECK-NEXT: [[SAME:%.*]] = arith.cmpi eq, [[AT]], [[ROW]]
  // CHECK-NEXT: [[BOTH:%.*]] = arith.andi [[SAME]], [[FITS]]
  // CHECK-NEXT: [[BEGUN:%.*]] = vector.shuffle %on, %on [0, 0, 0, 0, 0, 0, 0, 0]
  // CHECK-NEXT: [[ALL:%.*]] = arith.andi [[BOTH]], [[BEGUN]]
  // CHECK-NEXT: [[ASKED:%.*]] = arith.select %on, [[ALL]], %all_on
  // CHECK-NEXT: [[ROWS:%.*]] = vector.reduction <and>, [[ASKED]]
  // CHECK-NEXT: scf.if [[ROWS]] -> (vector<8xf32>) {
  // CHECK-NEXT:   [[FIRST:%.*]] = vector.extract [[AT]][0] : i32
  // CHECK-NEXT:   [[WIDE:%.*]] = arith.index_cast [[FIRST]] : i32 to index
  // CHECK-NEXT:   [[START:%.*]] = arith.addi %c4, [[WIDE]]
  // CHECK-NEXT:   vector.maskedload %x{{\[}}[[START]]], %on, %old
  %at = arith.xori %lane32, %by : vector<8xi32>
  %v = vector.gather %x[%c4] [%at], %on, %old : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  func.return %v : vector<8xf32>
}

// Both sides of a butterfly have one answer, also where indices may wrap: then it takes that neither
// does. What has it stands together, if nothing in between is in the way.
// CHECK-LABEL: func.func @both_sides
func.func @both_sides(%x: memref<?xf32>, %n: i32, %distance: i32) {
  %c0 = arith.constant 0 : index
  %all_on = arith.constant dense<true> : vector<16xi1>
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  %bits = vector.broadcast %n : i32 to vector<16xi32>
  %distances = vector.broadcast %distance : i32 to vector<16xi32>
  %lane = vector.step : vector<16xindex>
  %lane32 = arith.index_cast %lane : vector<16xindex> to vector<16xi32>
  %left = arith.andi %lane32, %bits : vector<16xi32>
  %right = arith.addi %left, %distances : vector<16xi32>
  // CHECK: [[FIRST:%.*]] = arith.cmpi sle, %left, %c2147483616_lanes
  // CHECK-NEXT: [[SECOND:%.*]] = arith.cmpi sle, %right, %c2147483616_lanes
  // CHECK-NEXT: [[FITS:%.*]] = arith.andi [[FIRST]], [[SECOND]]
  // CHECK-NEXT: vector.shuffle %left, %left
  // CHECK-NEXT: arith.addi
  // CHECK-NEXT: [[SAME:%.*]] = arith.cmpi eq, %left,
  // CHECK-NEXT: [[BOTH:%.*]] = arith.andi [[SAME]], [[FITS]]
  // CHECK-NEXT: [[ROWS:%.*]] = vector.reduction <and>, [[BOTH]]
  // CHECK: [[V:%.*]], [[W:%.*]] = scf.if [[ROWS]] -> (vector<16xf32>, vector<16xf32>) {
  // CHECK:   scf.if %every_other_row -> (vector<16xf32>, vector<16xf32>)
  // CHECK:   vector.gather %x[%c0] [%left]
  // CHECK-NEXT: vector.gather %x[%c0] [%right]
  // CHECK: [[SUM:%.*]] = arith.addf [[V]], [[W]]
  // CHECK-NEXT: scf.if [[ROWS]] {
  // CHECK: vector.scatter %x[%c0] [%left]
  // CHECK-NOT: scf.if
  // CHECK: vector.scatter %x[%c0] [%right]
  %v = vector.gather %x[%c0] [%left], %all_on, %zeros : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %w = vector.gather %x[%c0] [%right], %all_on, %zeros : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %sum = arith.addf %v, %w : vector<16xf32>
  vector.scatter %x[%c0] [%left], %all_on, %v : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32>
  vector.scatter %x[%c0] [%right], %all_on, %sum : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32>
  func.return
}

// An index that comes later is asked by itself, and a value that is needed does not wait.
// CHECK-LABEL: func.func @one_after_the_other
func.func @one_after_the_other(%x: memref<?xf32>, %n: i32, %k: i32) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %all_on = arith.constant dense<true> : vector<16xi1>
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  %bits = vector.broadcast %n : i32 to vector<16xi32>
  %lane = vector.step : vector<16xindex>
  %lane32 = arith.index_cast %lane : vector<16xindex> to vector<16xi32>
  %left = arith.andi %lane32, %bits : vector<16xi32>
  // CHECK: arith.cmpi sle, %left,
  // CHECK: [[ROWS:%.*]] = vector.reduction <and>
  // CHECK: [[V:%.*]] = scf.if [[ROWS]] -> (vector<16xf32>) {
  // CHECK: arith.cmpi sle, %right,
  // CHECK: [[OTHERS:%.*]] = vector.reduction <and>
  // CHECK: [[W:%.*]] = scf.if [[OTHERS]] -> (vector<16xf32>) {
  // CHECK: arith.addf [[V]], [[W]]
  // CHECK: [[U:%.*]] = scf.if [[ROWS]] -> (vector<16xf32>) {
  %v = vector.gather %x[%c0] [%left], %all_on, %zeros : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %ks = vector.broadcast %k : i32 to vector<16xi32>
  %right = arith.addi %left, %ks : vector<16xi32>
  %w = vector.gather %x[%c0] [%right], %all_on, %zeros : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %sum = arith.addf %v, %w : vector<16xf32>
  %u = vector.gather %x[%c0] [%left], %all_on, %sum : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %all = arith.addf %sum, %u : vector<16xf32>
  func.return %all : vector<16xf32>
}

// What comes from memory has no rows, and a step that is not 1 never is one. Digits of even
// numbers are even unless some are dropped at the end.
// CHECK-LABEL: func.func @never_rows
// CHECK-NOT: vector.reduction
func.func @never_rows(%x: memref<?xf32>, %columns: memref<?xi32>, %n: index, %on: vector<8xi1>, %old: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : vector<8xi32>
  %column = vector.load %columns[%n] : memref<?xi32>, vector<8xi32>
  %odd = arith.ori %column, %one : vector<8xi32>
  %v = vector.gather %x[%c0] [%odd], %on, %old : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %step = vector.broadcast %n : index to vector<8xindex>
  %lane = vector.step : vector<8xindex>
  %rows = arith.muli %lane, %step : vector<8xindex>
  %w = vector.gather %x[%c0] [%rows], %on, %v : memref<?xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %mask = vector.broadcast %n : index to vector<8xindex>
  %twelve = arith.constant dense<12> : vector<8xindex>
  %steps = arith.muli %lane, %twelve : vector<8xindex>
  %base = arith.addi %steps, %step : vector<8xindex>
  %digits = arith.andi %base, %mask : vector<8xindex>
  %narrow = arith.index_cast %digits : vector<8xindex> to vector<8xi32>
  %u = vector.gather %x[%c0] [%narrow], %on, %w : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  func.return %u : vector<8xf32>
}

// Nor are numbers rounded from sums of floats, as where an image is scaled.
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: vector.reduction
// CHECK: func.return
func.func @scaled(%x: memref<?xf32>, %by: vector<8xf32>, %some: vector<8xf32>, %old: vector<8xf32>, %on: vector<8xi1>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %lane = vector.step : vector<8xindex>
  %lane32 = arith.index_cast %lane : vector<8xindex> to vector<8xi32>
  %number = arith.sitofp %lane32 : vector<8xi32> to vector<8xf32>
  %place = arith.mulf %number, %by : vector<8xf32>
  %middle = arith.addf %place, %some : vector<8xf32>
  %at = arith.fptosi %middle : vector<8xf32> to vector<8xi32>
  %v = vector.gather %x[%c0] [%at], %on, %old : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  func.return %v : vector<8xf32>
}

// CHECK-LABEL: func.func @rows_of_even_numbers
// CHECK: vector.reduction
func.func @rows_of_even_numbers(%x: memref<?xf32>, %n: index, %on: vector<8xi1>, %old: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2> : vector<8xindex>
  %by = vector.broadcast %n : index to vector<8xindex>
  %lane = vector.step : vector<8xindex>
  %even = arith.muli %lane, %two : vector<8xindex>
  %half = arith.shrui %even, %by : vector<8xindex>
  %v = vector.gather %x[%c0] [%half], %on, %old : memref<?xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  func.return %v : vector<8xf32>
}

// Where it is known by now that not all lanes are neighbours, nothing is asked.
// CHECK-LABEL: func.func @near_an_edge
// CHECK-NOT: vector.reduction
// CHECK: func.return
func.func @near_an_edge(%x: memref<?xf64>, %base: index, %shift: index) -> vector<16xf64> {
  %c0 = arith.constant 0 : index
  %all_on = arith.constant dense<true> : vector<16xi1>
  %zeros = arith.constant dense<0.0> : vector<16xf64>
  %bases = vector.broadcast %base : index to vector<16xindex>
  %shifts = vector.broadcast %shift : index to vector<16xindex>
  %lane = vector.step : vector<16xindex>
  %i = arith.addi %bases, %lane : vector<16xindex>
  %left = arith.shrui %i, %shifts : vector<16xindex>
  %v = vector.gather %x[%c0] [%left], %all_on, %zeros {spmd.near_edge} : memref<?xf64>, vector<16xindex>, vector<16xi1>, vector<16xf64> into vector<16xf64>
  func.return %v : vector<16xf64>
}
