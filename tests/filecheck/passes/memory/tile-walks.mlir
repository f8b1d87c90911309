// RUN: xdsl-opt %s --allow-unregistered-dialect -p tile-walks | filecheck %s
// RUN: xdsl-opt %s --allow-unregistered-dialect -p tile-walks,tile-walks | filecheck %s

// Eight iterations of a cache line are done together: rows are loaded, columns taken.

// CHECK-LABEL: func.func @sums_of_rows
// CHECK:         %tile = memref.alloca() {alignment = 64 : i64} : memref<8x4xf64>
// CHECK-NEXT:    %starts = memref.alloca() {alignment = 64 : i64} : memref<4xindex>
// CHECK:         vector.store %starts_1, %starts[%c0] : memref<4xindex>, vector<4xindex>
// CHECK-NEXT:    %s = scf.for %first = %c0 to %n step %c8 iter_args(%t = %zeros) -> (vector<4xf64>) {
// CHECK-NEXT:      %left = arith.subi %n, %first : index
// CHECK-NEXT:      %count = arith.minsi %left, %c8 : index
// CHECK-NEXT:      %full = arith.cmpi sge, %left, %c8 : index
// CHECK-NEXT:      scf.if %full {
// CHECK-NEXT:        scf.for %lane = %c0 to %c4 step %c4 {
// CHECK-NEXT:          %start = memref.load %starts[%lane] : memref<4xindex>
// CHECK:               %at = arith.addi %start, %first : index
// CHECK-NEXT:          %row = vector.load %a_1[%at] {spmd.access = "transposed", spmd.why = "each lane goes along memory in a loop"} : memref<?xf64, strided<[1], offset: ?>>, vector<8xf64>
// CHECK-COUNT-16:      vector.shuffle
// CHECK-COUNT-8:       vector.store {{.*}} : memref<8x4xf64>, vector<4xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.for %place = %c0 to %count step %c1 {
// CHECK-NEXT:          %k = arith.addi %first, %place overflow<nsw> : index
// CHECK-NEXT:          %{{.*}} = vector.gather %a[%i, %k] [%rows], %all_on, %zeros {spmd.access = "row", spmd.why = "what is left of iterations along memory"}
// CHECK-NEXT:          vector.store %{{.*}}, %tile[%place, %c0] : memref<8x4xf64>, vector<4xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      %s_1 = scf.for %place_1 = %c0 to %count step %c1 iter_args(%t_1 = %t) -> (vector<4xf64>) {
// CHECK-NEXT:        %v = vector.load %tile[%place_1, %c0] : memref<8x4xf64>, vector<4xf64>
// CHECK-NEXT:        %u = arith.addf %t_1, %v : vector<4xf64>
// CHECK-NEXT:        scf.yield %u : vector<4xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %s_1 : vector<4xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : vector<4xf64>
func.func @sums_of_rows(%a: memref<?x?xf64>, %i: index, %n: index, %rows: vector<4xindex>) -> vector<4xf64> {
  %all_on = arith.constant dense<true> : vector<4xi1>
  %zeros = arith.constant dense<0.0> : vector<4xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zeros) -> (vector<4xf64>) {
    %v = vector.gather %a[%i, %k] [%rows], %all_on, %zeros : memref<?x?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
    %u = arith.addf %t, %v : vector<4xf64>
    scf.yield %u : vector<4xf64>
  }
  func.return %s : vector<4xf64>
}

// Inactive lanes load what an active one does, if there is one, and store nothing. What is stored
// is kept beside what is loaded.

// CHECK-LABEL: func.func @in_place
// CHECK:         %active = arith.select %mask, %starts_2, %nowhere : vector<32xi1>, vector<32xindex>
// CHECK-NEXT:    %some = vector.reduction <or>, %mask : vector<32xi1> into i1
// CHECK-NEXT:    %last = vector.reduction <maxsi>, %active : vector<32xindex> into index
// CHECK-NEXT:    %[[LAST:.*]] = vector.broadcast %last : index to vector<32xindex>
// CHECK-NEXT:    %starts_3 = arith.select %mask, %active, %[[LAST]] : vector<32xi1>, vector<32xindex>
// CHECK:         scf.for %first = %c7 to %n step %c16 {
// CHECK:           %full_1 = arith.andi %full, %some : i1
// CHECK-NEXT:      %done = arith.subi %first, %c7 : index
// CHECK-NEXT:      scf.if %full_1 {
// CHECK-NEXT:        scf.for %lane = %c0 to %c32 step %c16 {
// CHECK:           scf.for %place_1 = %c0 to %count step %c1 {
// CHECK-NEXT:        %v = vector.load %tile_1[%place_1, %c0] : memref<16x32xf32>, vector<32xf32>
// CHECK-NEXT:        %v_1 = arith.select %mask, %v, %w : vector<32xi1>, vector<32xf32>
// CHECK-NEXT:        %u = arith.addf %v_1, %w : vector<32xf32>
// CHECK-NEXT:        vector.store %u, %tile[%place_1, %c0] : memref<16x32xf32>, vector<32xf32>
// CHECK:             scf.for %lane
// CHECK:               %[[START:.*]] = memref.load %starts[%lane{{.*}}] : memref<32xindex>
// CHECK:               %[[AT:.*]] = arith.addi %[[START]], %done : index
// CHECK-NEXT:          %[[ACTIVE:.*]] = arith.cmpi ne, %[[START]], %cm9223372036854775808 : index
// CHECK-NEXT:          %[[BITS:.*]] = vector.broadcast %[[ACTIVE]] : i1 to vector<16xi1>
// CHECK-NEXT:          vector.maskedstore %a[%[[AT]]], %[[BITS]], {{.*}}spmd.access = "transposed"
// CHECK:             scf.for %place_2 = %c0 to %count step %c1 {
// CHECK:               vector.scatter
func.func @in_place(%a: memref<?xf32>, %low: index, %n: index, %rows: vector<32xi32>, %mask: vector<32xi1>, %w: vector<32xf32>) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %k = %c7 to %n step %c1 {
    %k1 = arith.addi %k, %low : index
    %v = vector.gather %a[%k1] [%rows], %mask, %w : memref<?xf32>, vector<32xi32>, vector<32xi1>, vector<32xf32> into vector<32xf32>
    %u = arith.addf %v, %w : vector<32xf32>
    vector.scatter %a[%k1] [%rows], %mask, %u : memref<?xf32>, vector<32xi32>, vector<32xi1>, vector<32xf32>
  }
  func.return
}

// What is stored before it is loaded, elsewhere, or by others; what ends the program; masks of each
// iteration; steps of two; few iterations; and other dimensions than the last one stay as they are.

// CHECK-LABEL: func.func @stays
// CHECK-NOT:     memref.alloca
func.func @stays(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32> {spmd.noalias}, %n: index, %rows: vector<4xindex>, %w: vector<4xf32>, %cond: i1) {
  %all_on = arith.constant dense<true> : vector<4xi1>
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %k = %c0 to %n step %c1 {
    vector.scatter %c[%c0, %k] [%rows], %all_on, %w : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
    %v = vector.gather %c[%c0, %k] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %b[%k, %c0] : memref<?x?xf32>, vector<4xf32>
  }
  scf.for %k = %c0 to %n step %c1 {
    %k1 = arith.addi %k, %c1 : index
    %v = vector.gather %c[%c0, %k] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.scatter %c[%c0, %k1] [%rows], %all_on, %v : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  }
  scf.for %k = %c0 to %n step %c1 {
    %v = vector.gather %a[%c0, %k] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %b[%k, %c0] : memref<?x?xf32>, vector<4xf32>
  }
  scf.for %k = %c0 to %n step %c1 {
    cf.assert %cond, "goes on"
    %v = vector.gather %c[%c0, %k] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %b[%k, %c0] : memref<?x?xf32>, vector<4xf32>
  }
  scf.for %k = %c0 to %n step %c1 {
    %mask = vector.create_mask %k : vector<4xi1>
    %v = vector.gather %c[%c0, %k] [%rows], %mask, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %b[%k, %c0] : memref<?x?xf32>, vector<4xf32>
  }
  scf.for %k = %c0 to %n step %c2 {
    %v = vector.gather %c[%c0, %k] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %b[%k, %c0] : memref<?x?xf32>, vector<4xf32>
  }
  scf.for %k = %c0 to %c3 step %c1 {
    %v = vector.gather %c[%c0, %k] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %b[%k, %c0] : memref<?x?xf32>, vector<4xf32>
  }
  scf.for %k = %c0 to %n step %c1 {
    %v = vector.gather %c[%k, %k] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %w1 = vector.gather %c[%k, %c0] [%rows], %all_on, %zeros : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %u = arith.addf %v, %w1 : vector<4xf32>
    vector.store %u, %b[%k, %c0] : memref<?x?xf32>, vector<4xf32>
  }
  func.return
}

// A memref without dimensions has no rows.

// CHECK-LABEL: func.func @one_element
// CHECK:         vector.scatter %a[] [%lanes], %on, %v
func.func @one_element(%a: memref<f64>, %lanes: vector<4xindex>, %on: vector<4xi1>, %v: vector<4xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    vector.scatter %a[] [%lanes], %on, %v : memref<f64>, vector<4xindex>, vector<4xi1>, vector<4xf64>
  }
  func.return
}
