// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// What lanes that differ by steps are compared with is moved to the side where it is known how
// far it may be from the steps, and next to them; then few bits are enough.

// CHECK-LABEL: func.func @steps
// CHECK:         [[LANE:%\w+]] = arith.index_cast %{{.*}} : vector<16xindex> to vector<16xi8>
// CHECK:         [[HIGH:%\w+]] = arith.addi %at, %c16 : index
// CHECK-NEXT:    [[BELOW:%\w+]] = arith.minsi %n, [[HIGH]] : index
// CHECK-NEXT:    [[LOW:%\w+]] = arith.addi %at, %cm1 : index
// CHECK-NEXT:    [[NEAR:%\w+]] = arith.maxsi [[BELOW]], [[LOW]] : index
// CHECK-NEXT:    [[LEFT:%\w+]] = arith.subi [[NEAR]], %at : index
// CHECK-NEXT:    [[BITS:%\w+]] = arith.index_cast [[LEFT]] : index to i8
// CHECK-NEXT:    [[LANES:%\w+]] = vector.broadcast [[BITS]] : i8 to vector<16xi8>
// CHECK-NEXT:    %above = arith.cmpi sgt, [[LANE]], [[LANES]] : vector<16xi8>
// CHECK:         %below = arith.cmpi sgt, [[LANE]], %{{.*}} : vector<16xi8>
// CHECK:         %other = arith.cmpi ne, [[LANE]], %{{.*}} : vector<16xi8>
func.func @steps(%x: memref<?xi1>, %from: index, %n: index) {
  %c0 = arith.constant 0 : index
  %most = arith.constant 4096 : index
  %least = arith.maxsi %from, %c0 : index
  %at = arith.minsi %least, %most : index
  spmd.sub_group (%i) shape [16] at (%at) {
    %above = arith.cmpi sgt, %i, %n : index
    memref.store %above, %x[%i] : memref<?xi1>
    %below = arith.cmpi slt, %n, %i : index
    memref.store %below, %x[%i] : memref<?xi1>
    %other = arith.cmpi ne, %i, %n : index
    memref.store %other, %x[%i] : memref<?xi1>
  }
  func.return
}

// -----

// Unsigned comparisons are signed ones of what is not negative. Steps of 100 take 16 bits, and
// both sides may have steps.

// CHECK-LABEL: func.func @bits_of_steps
// CHECK:         %p = arith.cmpi sge, %{{.*}} : vector<16xi8>
// CHECK:         %q = arith.cmpi ugt, %{{.*}} : vector<16xindex>
// CHECK:         %r = arith.cmpi eq, %{{.*}} : vector<16xi16>
// CHECK:         %s = arith.cmpi slt, %{{.*}} : vector<16xi8>
func.func @bits_of_steps(%x: memref<?xi1>, %from: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %most = arith.constant 4096 : index
  %least = arith.maxsi %from, %c0 : index
  %at = arith.minsi %least, %most : index
  %size = arith.maxsi %n, %c0 : index
  spmd.sub_group (%i) shape [16] at (%at) {
    %p = arith.cmpi uge, %i, %size : index
    memref.store %p, %x[%i] : memref<?xi1>
    %q = arith.cmpi ugt, %i, %n : index
    memref.store %q, %x[%i] : memref<?xi1>
    %hundreds = arith.muli %i, %c100 : index
    %r = arith.cmpi eq, %hundreds, %n : index
    memref.store %r, %x[%i] : memref<?xi1>
    %twice = arith.muli %i, %c2 : index
    %thrice = arith.muli %i, %c3 : index
    %far = arith.subi %thrice, %c100 : index
    %s = arith.cmpi slt, %twice, %far : index
    memref.store %s, %x[%i] : memref<?xi1>
  }
  func.return
}

// -----

// Steps that may wrap around are compared as the numbers that they are.

// CHECK-LABEL: func.func @wrapping
// CHECK:         arith.cmpi sgt, %{{.*}} : vector<16xi32>
func.func @wrapping(%x: memref<?xi1>, %at: index, %start: i32, %n: i32) {
  spmd.sub_group (%i) shape [16] at (%at) {
    %lane = spmd.lane_id
    %l = arith.index_cast %lane : index to i32
    %sum = arith.addi %start, %l : i32
    %above = arith.cmpi sgt, %sum, %n : i32
    memref.store %above, %x[%i] : memref<?xi1>
  }
  func.return
}

// -----

// A comparison that takes no fewer bits stays what it is.

// CHECK-LABEL: func.func @few_bits
// CHECK-NOT:     arith.minsi
// CHECK:         %p = arith.cmpi sgt, %{{.*}} : vector<16xi8>
func.func @few_bits(%x: memref<?xi1>, %n: i8) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i) shape [16] at (%c0) {
    %b = arith.index_cast %i : index to i8
    %p = arith.cmpi sgt, %b, %n : i8
    memref.store %p, %x[%i] : memref<?xi1>
  }
  func.return
}
