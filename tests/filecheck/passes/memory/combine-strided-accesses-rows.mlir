// RUN: xdsl-opt %s -p combine-strided-accesses --split-input-file | filecheck %s

// Rows of 16 bytes, two to a register, are a matrix that is transposed, and so is what is stored.

// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-8: vector.load %x_flat[{{.*}}] {spmd.access = "strided"} : memref<?xf32>, vector<4xf32>
// CHECK:         [[V0:%\w+]] = vector.shuffle %x_flat_part, %x_flat_part_4 [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-NEXT:    [[V1:%\w+]] = vector.shuffle %x_flat_part_1, %x_flat_part_5 [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK:         [[LOW:%\w+]] = vector.shuffle [[V0]], [[V1]] [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    vector.shuffle [[V0]], [[V1]] [2, 10, 3, 11, 6, 14, 7, 15] : vector<8xf32>, vector<8xf32>
// CHECK:         %r = vector.shuffle [[LOW]], {{%\w+}} [0, 1, 8, 9, 4, 5, 12, 13] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    %g = vector.shuffle [[LOW]], {{%\w+}} [2, 3, 10, 11, 6, 7, 14, 15] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    %b = vector.shuffle
// CHECK-NEXT:    %a = vector.shuffle
// CHECK-NEXT:    %rg = arith.addf %r, %g : vector<8xf32>
// CHECK:         vector.shuffle %rg, %ba [0, 8, 1, 9, 4, 12, 5, 13]
// CHECK:         vector.shuffle %s, %r [0, 8, 1, 9, 4, 12, 5, 13]
// CHECK-COUNT-8: vector.store {{.*}} : memref<?xf32>, vector<4xf32>

func.func @rows(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %by = arith.constant dense<4> : vector<8xindex>
  %on = arith.constant dense<true> : vector<8xi1>
  %off = arith.constant dense<0.0> : vector<8xf32>
  %lane = vector.step : vector<8xindex>
  %steps = arith.muli %lane, %by : vector<8xindex>
  %r = vector.gather %x[%i, %c0] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %g = vector.gather %x[%i, %c1] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %b = vector.gather %x[%i, %c2] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %a = vector.gather %x[%i, %c3] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %rg = arith.addf %r, %g : vector<8xf32>
  %ba = arith.subf %b, %a : vector<8xf32>
  %s = arith.mulf %rg, %ba : vector<8xf32>
  vector.scatter %y[%i, %c0] [%steps], %on, %rg : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %y[%i, %c1] [%steps], %on, %ba : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %y[%i, %c2] [%steps], %on, %s : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %y[%i, %c3] [%steps], %on, %r : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  func.return
}

// -----

// Rows of four bytes: those of four lanes are sorted in each block, and move together. Nobody reads
// the fourth byte of the last row.

// CHECK-LABEL: func.func @bytes(
// CHECK:         %i_4 = arith.addi %i_1, %c47 : index
// CHECK-NEXT:    [[LAST:%\w+]] = vector.load %x_flat[%i_4] {spmd.access = "strided"} : memref<?xi8>, vector<16xi8>
// CHECK-NEXT:    vector.shuffle [[LAST]], [[LAST]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0]
// CHECK-NEXT:    [[BYTES:%\w+]] = vector.shuffle %x_flat_part, %x_flat_part [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15] : vector<16xi8>, vector<16xi8>
// CHECK-NEXT:    [[UNITS:%\w+]] = vector.bitcast [[BYTES]] : vector<16xi8> to vector<4xi32>
// CHECK:         [[LOW:%\w+]] = vector.shuffle [[UNITS]], {{%\w+}} [0, 4, 1, 5] : vector<4xi32>, vector<4xi32>
// CHECK:         [[R:%\w+]] = vector.shuffle [[LOW]], {{%\w+}} [0, 1, 4, 5] : vector<4xi32>, vector<4xi32>
// CHECK:         %r = vector.bitcast [[R]] : vector<4xi32> to vector<16xi8>
// CHECK-NEXT:    %g = vector.bitcast
// CHECK-NEXT:    %b = vector.bitcast
// CHECK-NEXT:    %rg = arith.addi %r, %g : vector<16xi8>

func.func @bytes(%x: memref<?x4xi8>, %z: memref<?xi8>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %by = arith.constant dense<4> : vector<16xindex>
  %on = arith.constant dense<true> : vector<16xi1>
  %off = arith.constant dense<0> : vector<16xi8>
  %lane = vector.step : vector<16xindex>
  %steps = arith.muli %lane, %by : vector<16xindex>
  %r = vector.gather %x[%i, %c0] [%steps], %on, %off : memref<?x4xi8>, vector<16xindex>, vector<16xi1>, vector<16xi8> into vector<16xi8>
  %g = vector.gather %x[%i, %c1] [%steps], %on, %off : memref<?x4xi8>, vector<16xindex>, vector<16xi1>, vector<16xi8> into vector<16xi8>
  %b = vector.gather %x[%i, %c2] [%steps], %on, %off : memref<?x4xi8>, vector<16xindex>, vector<16xi1>, vector<16xi8> into vector<16xi8>
  %rg = arith.addi %r, %g : vector<16xi8>
  %s = arith.addi %rg, %b : vector<16xi8>
  vector.store %s, %z[%i] : memref<?xi8>, vector<16xi8>
  func.return
}

// -----

// What is the same operation for all places of rows is done in the order of memory: some are swapped there, and
// what lanes have for their rows is repeated.

// CHECK-LABEL: func.func @in_memory(
// CHECK:         %places = arith.constant dense<[3, 2, 3, 2, 3, 2, 3, 2]> : vector<8xi8>
// CHECK:         %x_flat_part = vector.load %x_flat[%i_1] {spmd.access = "strided"} : memref<?xi8>, vector<8xi8>
// CHECK-NEXT:    %i_2 = arith.addi %i_1, %c8 : index
// CHECK-NEXT:    %x_flat_part_1 = vector.load %x_flat[%i_2] {spmd.access = "strided"} : memref<?xi8>, vector<8xi8>
// CHECK:         %part = arith.muli %a, %n : vector<8xi8>
// CHECK:         %part_1 = vector.shuffle %part, %part [0, 0, 0, 0, 1, 1, 1, 1] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %b = vector.shuffle %x_flat_part, %x_flat_part [2, 1, 0, 3, 6, 5, 4, 7] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %b1 = arith.muli %b, %places : vector<8xi8>
// CHECK-NEXT:    %b2 = arith.addi %b1, %part_1 : vector<8xi8>
// CHECK-NEXT:    vector.store %b2, %y_flat[%i_5] {spmd.access = "strided"} : memref<?xi8>, vector<8xi8>
// CHECK-NEXT:    %part_2 = vector.shuffle %part, %part [2, 2, 2, 2, 3, 3, 3, 3] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %b_1 = vector.shuffle %x_flat_part_1, %x_flat_part_1 [2, 1, 0, 3, 6, 5, 4, 7] : vector<8xi8>, vector<8xi8>

func.func @in_memory(%x: memref<?x4xi8>, %y: memref<?x4xi8>, %n: vector<8xi8>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %by = arith.constant dense<4> : vector<8xindex>
  %on = arith.constant dense<true> : vector<8xi1>
  %off = arith.constant dense<0> : vector<8xi8>
  %lane = vector.step : vector<8xindex>
  %steps = arith.muli %lane, %by : vector<8xindex>
  %r = vector.gather %x[%i, %c0] [%steps], %on, %off : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8> into vector<8xi8>
  %g = vector.gather %x[%i, %c1] [%steps], %on, %off : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8> into vector<8xi8>
  %b = vector.gather %x[%i, %c2] [%steps], %on, %off : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8> into vector<8xi8>
  %a = vector.gather %x[%i, %c3] [%steps], %on, %off : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8> into vector<8xi8>
  %twos = arith.constant dense<2> : vector<8xi8>
  %threes = arith.constant dense<3> : vector<8xi8>
  %part = arith.muli %a, %n : vector<8xi8>
  %r1 = arith.muli %r, %threes : vector<8xi8>
  %r2 = arith.addi %r1, %part : vector<8xi8>
  %g1 = arith.muli %g, %twos : vector<8xi8>
  %g2 = arith.addi %g1, %part : vector<8xi8>
  %b1 = arith.muli %b, %threes : vector<8xi8>
  %b2 = arith.addi %b1, %part : vector<8xi8>
  %a1 = arith.muli %a, %twos : vector<8xi8>
  %a2 = arith.addi %a1, %part : vector<8xi8>
  vector.scatter %y[%i, %c0] [%steps], %on, %b2 : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8>
  vector.scatter %y[%i, %c1] [%steps], %on, %g2 : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8>
  vector.scatter %y[%i, %c2] [%steps], %on, %r2 : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8>
  vector.scatter %y[%i, %c3] [%steps], %on, %a2 : memref<?x4xi8>, vector<8xindex>, vector<8xi1>, vector<8xi8>
  func.return
}

// -----

// What somebody else needs of lanes is not computed again: here it is all but the last division.

// CHECK-LABEL: func.func @needed_twice(
// CHECK-COUNT-4: math.exp
// CHECK-NOT:     math.exp
// CHECK:         func.return

func.func @needed_twice(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %z: memref<?xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %by = arith.constant dense<4> : vector<8xindex>
  %on = arith.constant dense<true> : vector<8xi1>
  %off = arith.constant dense<0.0> : vector<8xf32>
  %lane = vector.step : vector<8xindex>
  %steps = arith.muli %lane, %by : vector<8xindex>
  %r = vector.gather %x[%i, %c0] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %g = vector.gather %x[%i, %c1] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %b = vector.gather %x[%i, %c2] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %a = vector.gather %x[%i, %c3] [%steps], %on, %off : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %r1 = math.exp %r fastmath<afn> : vector<8xf32>
  %g1 = math.exp %g fastmath<afn> : vector<8xf32>
  %b1 = math.exp %b fastmath<afn> : vector<8xf32>
  %a1 = math.exp %a fastmath<afn> : vector<8xf32>
  %s = arith.addf %r1, %g1 : vector<8xf32>
  vector.store %s, %z[%i] : memref<?xf32>, vector<8xf32>
  %r2 = arith.divf %r1, %s : vector<8xf32>
  %g2 = arith.divf %g1, %s : vector<8xf32>
  %b2 = arith.divf %b1, %s : vector<8xf32>
  %a2 = arith.divf %a1, %s : vector<8xf32>
  vector.scatter %y[%i, %c0] [%steps], %on, %r2 : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %y[%i, %c1] [%steps], %on, %g2 : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %y[%i, %c2] [%steps], %on, %b2 : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %y[%i, %c3] [%steps], %on, %a2 : memref<?x4xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  func.return
}

// -----

// Python computes the number of a row wherever it is written.

// CHECK-LABEL: func.func @same_row(
// CHECK:         %row = arith.muli %j, %c2 : index
// CHECK-NOT:     arith.muli %j
// CHECK:         [[BOTH:%\w+]] = vector.load %x[%row, {{%\w+}}] {{.*}} : memref<?x?xf32>, vector<8xf32>
// CHECK-NEXT:    %even = vector.shuffle [[BOTH]], [[BOTH]] [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:    %odd = vector.shuffle [[BOTH]], [[BOTH]] [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
func.func @same_row(%x: memref<?x?xf32>, %z: memref<?xf32>, %i: index, %j: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %by = arith.constant dense<2> : vector<4xindex>
  %on = arith.constant dense<true> : vector<4xi1>
  %off = arith.constant dense<0.0> : vector<4xf32>
  %lane = vector.step : vector<4xindex>
  %steps = arith.muli %lane, %by : vector<4xindex>
  %row = arith.muli %j, %c2 : index
  %first = arith.muli %i, %c2 : index
  %even = vector.gather %x[%row, %first] [%steps], %on, %off : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %row_1 = arith.muli %j, %c2 : index
  %first_1 = arith.muli %i, %c2 : index
  %second = arith.addi %first_1, %c1 : index
  %odd = vector.gather %x[%row_1, %second] [%steps], %on, %off : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %s = arith.addf %even, %odd : vector<4xf32>
  vector.store %s, %z[%i] : memref<?xf32>, vector<4xf32>
  func.return
}
