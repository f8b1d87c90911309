// RUN: xdsl-opt %s -p 'version-gathers{target=x86-64-v3}' | filecheck %s
// RUN: xdsl-opt %s -p 'version-gathers{target=x86-64-v4}' | filecheck %s --check-prefix=MASKS

// Where stores under masks are slow, both sides of a butterfly are stored as whole vectors, twice
// as long as a register.
// CHECK-LABEL: func.func @sides
// MASKS-LABEL: func.func @sides
func.func @sides(%x: memref<?xf32>, %u: vector<8xf32>, %v: vector<8xf32>, %bits: index, %distance: index) {
  %c0 = arith.constant 0 : index
  %all_on = arith.constant dense<true> : vector<8xi1>
  %mask = vector.broadcast %bits : index to vector<8xindex>
  %distances = vector.broadcast %distance : index to vector<8xindex>
  %i = vector.step : vector<8xindex>
  %high = arith.andi %i, %mask : vector<8xindex>
  %left = arith.addi %i, %high : vector<8xindex>
  %right = arith.addi %left, %distances : vector<8xindex>
  // CHECK: [[OTHER:%.*]] = scf.if
  // CHECK: [[FIRST:%.*]] = vector.extract %left[0]
  // CHECK-NEXT: [[SECOND:%.*]] = vector.extract %right[0]
  // CHECK-NEXT: [[AHEAD:%.*]] = arith.subi [[SECOND]], [[FIRST]]
  // CHECK-NEXT: [[MEETS:%.*]] = arith.cmpi eq, [[AHEAD]], %row
  // CHECK-NEXT: [[BOTH:%.*]] = arith.andi [[MEETS]], [[OTHER]]
  // CHECK-NEXT: scf.if [[BOTH]] {
  // CHECK: [[MASK:%.*]] = arith.cmpi eq, %{{.*}} : vector<16xi32>
  // CHECK: vector.store %u, [[BUFFER:%.*]][%c0]
  // CHECK-NEXT: [[U:%.*]] = vector.gather [[BUFFER]][%c0]
  // CHECK-NEXT: vector.store %v, [[BUFFER:%.*]][%c0]
  // CHECK-NEXT: [[V:%.*]] = vector.gather [[BUFFER]][%c0]
  // CHECK-NEXT: [[W:%.*]] = arith.select [[MASK]], [[U]], [[V]]
  // CHECK-NEXT: vector.store [[W]], %x{{.*}} vector<16xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.if %rows {
  // CHECK: vector.scatter %x[%c0] [%left]
  // CHECK: vector.scatter %x[%c0] [%right]
  // MASKS-NOT: meets
  // MASKS: vector.scatter %x[%c0] [%left]
  // MASKS: vector.scatter %x[%c0] [%right]
  vector.scatter %x[%c0] [%left], %all_on, %u : memref<?xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %x[%c0] [%right], %all_on, %v : memref<?xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  func.return
}

// What is loaded in between may be of either side, and other arrays are no side.
// CHECK-LABEL: func.func @no_sides
func.func @no_sides(%x: memref<?xf32>, %y: memref<?xf32>, %u: vector<8xf32>, %bits: index, %distance: index) {
  %c0 = arith.constant 0 : index
  %all_on = arith.constant dense<true> : vector<8xi1>
  %mask = vector.broadcast %bits : index to vector<8xindex>
  %distances = vector.broadcast %distance : index to vector<8xindex>
  %i = vector.step : vector<8xindex>
  %high = arith.andi %i, %mask : vector<8xindex>
  %left = arith.addi %i, %high : vector<8xindex>
  %right = arith.addi %left, %distances : vector<8xindex>
  // CHECK-NOT: meets
  vector.scatter %x[%c0] [%left], %all_on, %u : memref<?xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  %v = vector.load %x[%c0] : memref<?xf32>, vector<8xf32>
  vector.scatter %x[%c0] [%right], %all_on, %v : memref<?xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  vector.scatter %y[%c0] [%left], %all_on, %v : memref<?xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
  func.return
}
