// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{brush=2,8 target=x86-64-v4}' | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{shape=8,2 target=x86-64-v4}' | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{brush=2,8 shape=8,2}' --verify-diagnostics | filecheck %s --check-prefix BOTH
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{brush=3,8}' --verify-diagnostics | filecheck %s --check-prefix BAD

// BOTH: expected a shape (x first) or a brush (x last), got both: 8,2 and 2,8
// BAD:  expected a brush of at most three powers of two with a product of at most {{.*}}, got 3,8

// Two rows of eight lanes: of what both load, a row is two chunks, and rows that meet are one.

// CHECK-LABEL: func.func @sum_of_neighbours
// CHECK:         vector.load {{.*}}, vector<8xf64>
// CHECK:         vector.load {{.*}}, vector<2xf64>
// CHECK:         vector.load {{.*}}, vector<8xf64>
// CHECK:         vector.load {{.*}}, vector<2xf64>
// CHECK-NOT:     vector.load
// CHECK:         vector.shuffle {{.*}} [1, 2, 3, 4, 5, 6, 7, 8]
// CHECK:         vector.shuffle {{.*}} [2, 3, 4, 5, 6, 7, 8, 9]
// CHECK-COUNT-2: arith.addf {{.*}} : vector<16xf64>
// CHECK-COUNT-2: vector.store {{.*}}, vector<8xf64>
spmd.kernel @sum_of_neighbours(%a: memref<?x?xf64>, %out: memref<?x?xf64>)
    attributes {work_group_size = array<i64: 8, 2>, spmd.full_groups} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %x1 = arith.addi %x, %c1 : index
  %x2 = arith.addi %x, %c2 : index
  %w = memref.load %a[%y, %x] : memref<?x?xf64>
  %c = memref.load %a[%y, %x1] : memref<?x?xf64>
  %e = memref.load %a[%y, %x2] : memref<?x?xf64>
  %wc = arith.addf %w, %c : f64
  %sum = arith.addf %wc, %e : f64
  memref.store %sum, %out[%y, %x] : memref<?x?xf64>
  spmd.return
}
