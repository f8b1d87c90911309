// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=32}' | filecheck %s

// A prefetch runs once for each cache line that the lanes access; where lines differ from
// lane to lane, it runs for each lane. What is accessed once only stays so in vectors.

// CHECK-LABEL: func.func @hints
spmd.kernel @hints(%k: memref<?xi16>, %x: memref<?xf32>, %y: memref<?xf32>)
    attributes {work_group_size = array<i64: 64>, spmd.full_groups} {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  // CHECK: memref.prefetch %k[%c0], read, locality<3>, data : memref<?xi16>
  memref.prefetch %k[%c0], read, locality<3>, data : memref<?xi16>
  // CHECK: memref.prefetch %x[%i], write, locality<0>, data : memref<?xf32>
  // CHECK: [[SECOND:%.*]] = arith.addi %i, %c16
  // CHECK-NEXT: memref.prefetch %x{{\[}}[[SECOND]]], write, locality<0>, data : memref<?xf32>
  memref.prefetch %x[%i], write, locality<0>, data : memref<?xf32>
  // CHECK: vector.load %k[%i] : memref<?xi16>, vector<32xi16>
  %n = memref.load %k[%i] : memref<?xi16>
  %m = arith.index_cast %n : i16 to index
  // CHECK: [[LANE:%.*]] = vector.extract %m[0] : index from vector<32xindex>
  // CHECK-NEXT: memref.prefetch %x{{\[}}[[LANE]]], read
  // CHECK: vector.extract %m[31]
  // CHECK-NEXT: memref.prefetch
  memref.prefetch %x[%m], read, locality<3>, data : memref<?xf32>
  // CHECK: vector.load %x[%i] {nontemporal = true} : memref<?xf32>, vector<32xf32>
  %v = memref.load %x[%i] {nontemporal = true} : memref<?xf32>
  // CHECK: vector.store %v, %y[%i] {nontemporal = true} : memref<?xf32>, vector<32xf32>
  memref.store %v, %y[%i] {nontemporal = true} : memref<?xf32>
  spmd.return
}

// A private array lies in the cache: nobody asks for it, and the loop becomes lanes.

// CHECK-LABEL: func.func @private
spmd.kernel @private(%x: memref<?xf32>)
    attributes {work_group_size = array<i64: 64>, spmd.full_groups} {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %p = memref.alloca() : memref<8xf32>
  // CHECK-NOT: memref.prefetch
  memref.prefetch %p[%c0], read, locality<3>, data : memref<8xf32>
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %p[%c0] : memref<8xf32>
  %w = memref.load %p[%c0] : memref<8xf32>
  // CHECK: vector.store {{.*}}, %x[%i] : memref<?xf32>, vector<32xf32>
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
