// RUN: xdsl-opt %s -p uplift-while-to-for --split-input-file | filecheck %s

// A loop that counts itself; what its test computes is computed before. The counter ends at the
// end, or where it began if that is beyond.

// CHECK-LABEL: spmd.kernel @counted
// CHECK:         %more_than = arith.addi %n, %c1 : index
// CHECK-NEXT:    %r = scf.for %k = %start to %more_than step %c1 iter_args(%a = %zero) -> (f32) {
// CHECK-NEXT:      %v = memref.load %x[%k] : memref<?xf32>
// CHECK-NEXT:      %b = arith.addf %a, %v : f32
// CHECK-NEXT:      scf.yield %b : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %last = arith.maxsi %start, %more_than : index
// CHECK-NEXT:    memref.store %r, %x[%last] : memref<?xf32>
spmd.kernel @counted(%x: memref<?xf32>, %n: index, %start: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %last, %r = scf.while (%k = %start, %a = %zero) : (index, f32) -> (index, f32) {
    %more_than = arith.addi %n, %c1 : index
    %more = arith.cmpi sgt, %more_than, %k : index
    scf.condition(%more) %k, %a : index, f32
  } do {
  ^bb0(%k: index, %a: f32):
    %v = memref.load %x[%k] : memref<?xf32>
    %b = arith.addf %a, %v : f32
    %next = arith.addi %c1, %k : index
    scf.yield %next, %b : index, f32
  }
  memref.store %r, %x[%last] : memref<?xf32>
  spmd.return
}

// -----

// In steps of more than one the loop carries a counter that is used afterwards. What is passed on
// may be anything that the loop carries, in any order, or what comes from outside. Loops in loops
// are counted as well.

// CHECK-LABEL: spmd.kernel @nested
// CHECK:         %last, %r = scf.for %k = %c0_i32 to %n step %c4 iter_args(%k_1 = %c0_i32, %a = %m) -> (i32, i32) : i32 {
// CHECK-NEXT:      %t = scf.for %l = %c0_i32 to %k step %c4 iter_args(%s = %a) -> (i32) : i32 {
// CHECK-NEXT:        %u = arith.xori %s, %m : i32
// CHECK-NEXT:        scf.yield %u : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %next = arith.addi %k, %c4 : i32
// CHECK-NEXT:      scf.yield %next, %t : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%r, %m, %last) : (i32, i32, i32) -> ()
spmd.kernel @nested(%n16: i16, %m: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %n = arith.extsi %n16 : i16 to i32
  %r, %same, %last = scf.while (%k = %c0_i32, %a = %m) : (i32, i32) -> (i32, i32, i32) {
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %a, %m, %k : i32, i32, i32
  } do {
  ^bb0(%a: i32, %b: i32, %k: i32):
    %end, %t = scf.while (%l = %c0_i32, %s = %a) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi slt, %l, %k : i32
      scf.condition(%more) %l, %s : i32, i32
    } do {
    ^bb0(%l: i32, %s: i32):
      %u = arith.xori %s, %b : i32
      %after = arith.addi %l, %c4 : i32
      scf.yield %after, %u : i32, i32
    }
    %next = arith.addi %k, %c4 : i32
    scf.yield %next, %t : i32, i32
  }
  "test.op"(%r, %same, %last) : (i32, i32, i32) -> ()
  spmd.return
}

// -----

// These stay: a step that may be zero, a counter that may pass the largest number, an end that
// changes, a test of something else as well, and one that is not of the counter alone.

// CHECK-LABEL: spmd.kernel @others
// CHECK-NOT:     scf.for
// CHECK:         spmd.return
spmd.kernel @others(%x: memref<?xi32>, %n: i32, %step: i32, %on: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %i = arith.constant 0 : index
  %a = scf.while (%k = %c0) : (i32) -> (i32) {
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %step : i32
    scf.yield %next : i32
  }
  %b = scf.while (%k = %c0) : (i32) -> (i32) {
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %c2 : i32
    scf.yield %next : i32
  }
  %c, %end = scf.while (%k = %c0, %e = %n) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %k, %e : i32
    scf.condition(%more) %k, %e : i32, i32
  } do {
  ^bb0(%k: i32, %e: i32):
    %next = arith.addi %k, %c1 : i32
    %less = arith.subi %e, %c1 : i32
    scf.yield %next, %less : i32, i32
  }
  %d = scf.while (%k = %c0) : (i32) -> (i32) {
    %below = arith.cmpi slt, %k, %n : i32
    %more = arith.andi %below, %on : i1
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %c1 : i32
    scf.yield %next : i32
  }
  %e = scf.while (%k = %c0) : (i32) -> (i32) {
    %v = memref.load %x[%i] : memref<?xi32>
    %more = arith.cmpi slt, %k, %v : i32
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    memref.store %k, %x[%i] : memref<?xi32>
    %next = arith.addi %k, %c1 : i32
    scf.yield %next : i32
  }
  spmd.return
}
