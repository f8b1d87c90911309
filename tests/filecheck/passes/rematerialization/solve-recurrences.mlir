// RUN: xdsl-opt %s -p solve-recurrences | filecheck %s
// RUN: xdsl-opt %s -p solve-recurrences,solve-recurrences | filecheck %s

// Nothing is left of a loop that only adds up.

// CHECK-LABEL: @counter
// CHECK:         %n = spmd.local_size x
// CHECK-NEXT:    %[[COUNT:.*]] = arith.index_cast %n : index to i32
// CHECK-NEXT:    %[[BEFORE:.*]] = arith.subi %[[COUNT]], %c1_i32 : i32
// CHECK-NEXT:    %[[ODD:.*]] = arith.ori %[[BEFORE]], %c1_i32 : i32
// CHECK-NEXT:    %[[HALF:.*]] = arith.shrui %n, %c1 : index
// CHECK-NEXT:    %[[CUT:.*]] = arith.index_cast %[[HALF]] : index to i32
// CHECK-NEXT:    %[[PAIRS:.*]] = arith.muli %[[CUT]], %[[ODD]] : i32
// CHECK-NEXT:    %s = arith.addi %v, %[[PAIRS]] : i32
// CHECK-NEXT:    "test.op"(%s)
spmd.kernel @counter(%v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = spmd.local_size x
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {
    %i32 = arith.index_cast %i : index to i32
    %b = arith.addi %a, %i32 : i32
    scf.yield %b : i32
  }
  "test.op"(%s) : (i32) -> ()
  spmd.return
}

// A number of iterations that is known: 3 + 0 + 1 + 4 + ... + 81.

// CHECK-LABEL: @squares
// CHECK:         %c288 = arith.constant 288 : index
// CHECK-NOT:     scf.for
spmd.kernel @squares() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %s = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %c3) -> (index) {
    %ii = arith.muli %i, %i : index
    %b = arith.addi %a, %ii : index
    scf.yield %b : index
  }
  "test.op"(%s) : (index) -> ()
  spmd.return
}

// A start and an end that may be in any order, steps of a power of two, a factor of outside.

// CHECK-LABEL: @product
// CHECK:         %[[LAST:.*]] = arith.maxsi %high, %low : i16
// CHECK-NEXT:    %[[COUNT:.*]] = arith.subi %[[LAST]], %low : i16
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extui %[[COUNT]] : i16 to i32
// CHECK-NEXT:    %[[ALL:.*]] = arith.muli %x, %[[WIDE]] : i32
// CHECK-NEXT:    %s = arith.addi %v, %[[ALL]] : i32
// CHECK-NOT:     scf.for
// CHECK:         arith.addi %{{.*}}, %c3 : index
// CHECK-NEXT:    arith.shrui %{{.*}}, %c2 : index
spmd.kernel @product(%low: i16, %high: i16, %x: i32, %v: i32, %w: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i16
  %n = spmd.local_size x
  %s = scf.for %i = %low to %high step %one iter_args(%a = %v) -> (i32) : i16 {
    %b = arith.addi %a, %x : i32
    scf.yield %b : i32
  }
  "test.op"(%s) : (i32) -> ()
  %t = scf.for %i = %c0 to %n step %c4 iter_args(%a = %w) -> (index) {
    %b = arith.addi %a, %w : index
    scf.yield %b : index
  }
  "test.op"(%t) : (index) -> ()
  spmd.return
}

// A loop that has more to do carries less: what is asked for in it stays.

// CHECK-LABEL: @more_to_do
// CHECK:         %p = scf.for %i = %c0 to %n step %c1 iter_args(%q = %c0) -> (index) {
// CHECK-NEXT:      "test.op"(%q)
// CHECK-NEXT:      %r = arith.addi %q, %n : index
// CHECK-NEXT:      scf.yield %r : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %s = arith.addi %v, %n : index
// CHECK-NEXT:    "test.op"(%s, %p)
spmd.kernel @more_to_do(%v: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = spmd.local_size x
  %s, %p = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v, %q = %c0) -> (index, index) {
    "test.op"(%q) : (index) -> ()
    %b = arith.addi %a, %c1 : index
    %r = arith.addi %q, %n : index
    scf.yield %b, %r : index, index
  }
  "test.op"(%s, %p) : (index, index) -> ()
  spmd.return
}

// Nor does what is asked for in the end go, through whatever is computed from it.

// CHECK-LABEL: @asked_later
// CHECK:         %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (index) {
// CHECK-NEXT:      %b = arith.addi %a, %c1 : index
// CHECK-NEXT:      %thrice = arith.muli %b, %c3 : index
// CHECK-NEXT:      memref.store %thrice, %x[%i]
// CHECK-NEXT:      scf.yield %b : index
spmd.kernel @asked_later(%v: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = spmd.local_size x
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (index) {
    %b = arith.addi %a, %c1 : index
    %thrice = arith.muli %b, %c3 : index
    memref.store %thrice, %x[%i] : memref<?xindex>
    scf.yield %b : index
  }
  "test.op"(%s) : (index) -> ()
  spmd.return
}

// Floats round, what is multiplied grows faster, a number that wrapped is another one in a
// wider type, degree 4, a step that is not known, and what the loop changes otherwise.

// CHECK-LABEL: @stay
// CHECK-COUNT-6: scf.for
spmd.kernel @stay(%f: f32, %v: i32, %k: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = spmd.local_size x
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f) -> (f32) {
    %b = arith.addf %a, %f : f32
    scf.yield %b : f32
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {
    %b = arith.muli %a, %v : i32
    scf.yield %b : i32
  }
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %k) -> (index) {
    %i32 = arith.index_cast %i : index to i32
    %j = arith.muli %i32, %v : i32
    %wide = arith.index_cast %j : i32 to index
    %b = arith.addi %a, %wide : index
    scf.yield %b : index
  }
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %k) -> (index) {
    %ii = arith.muli %i, %i : index
    %iii = arith.muli %ii, %i : index
    %b = arith.addi %a, %iii : index
    scf.yield %b : index
  }
  %4 = scf.for %i = %c0 to %n step %k iter_args(%a = %k) -> (index) {
    %b = arith.addi %a, %i : index
    scf.yield %b : index
  }
  %5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {
    %y = memref.load %x[%i] : memref<?xi32>
    %b = arith.addi %a, %y : i32
    scf.yield %b : i32
  }
  "test.op"(%0, %1, %2, %3, %4, %5) : (f32, i32, index, index, index, i32) -> ()
  spmd.return
}
