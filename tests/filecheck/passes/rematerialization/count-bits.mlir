// RUN: xdsl-opt %s -p count-bits | filecheck %s
// RUN: xdsl-opt %s -p count-bits,count-bits | filecheck %s

// What else is done in each iteration is done as often; nothing is left of the number.

// CHECK-LABEL: @bits
// CHECK:         %ones = math.ctpop %v : i32
// CHECK-NEXT:    %ones_1 = arith.index_castui %ones : i32 to index
// CHECK-NEXT:    %last, %n = scf.for %k = %c0 to %ones_1 step %c1 iter_args(%b = %v, %a = %c0_1) -> (i32, i32) {
// CHECK-NEXT:      %less = arith.subi %b, %c1_1 : i32
// CHECK-NEXT:      %next = arith.andi %less, %b : i32
// CHECK-NEXT:      "test.op"(%b) : (i32) -> ()
// CHECK-NEXT:      %n_1 = arith.addi %a, %c1_1 : i32
// CHECK-NEXT:      scf.yield %next, %n_1 : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%n, %c0_1) : (i32, i32) -> ()
spmd.kernel @bits(%v: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last, %n = scf.while (%b = %v, %a = %c0) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %b, %c0 : i32
    scf.condition(%more) %b, %a : i32, i32
  } do {
  ^bb0(%b: i32, %a: i32):
    %less = arith.subi %b, %c1 : i32
    %next = arith.andi %less, %b : i32
    "test.op"(%b) : (i32) -> ()
    %n = arith.addi %a, %c1 : i32
    scf.yield %next, %n : i32, i32
  }
  "test.op"(%n, %last) : (i32, i32) -> ()
  spmd.return
}

// An index; a one is subtracted as -1 is added.

// CHECK-LABEL: @index
// CHECK:         %[[BITS:.*]] = arith.index_cast %v : index to i64
// CHECK-NEXT:    %ones = math.ctpop %[[BITS]] : i64
// CHECK-NOT:     scf.while
// CHECK:         spmd.return
spmd.kernel @index(%v: index) {
  %c0 = arith.constant 0 : index
  %cm1 = arith.constant -1 : index
  %last = scf.while (%b = %v) : (index) -> index {
    %more = arith.cmpi ugt, %b, %c0 : index
    scf.condition(%more) %b : index
  } do {
  ^bb0(%b: index):
    %less = arith.addi %b, %cm1 : index
    %next = arith.andi %b, %less : index
    "test.op"(%b) : (index) -> ()
    scf.yield %next : index
  }
  spmd.return
}

// Others stay: a comparison that negative numbers do not pass, two bits at once, what is no bit.

// CHECK-LABEL: @others
// CHECK-COUNT-3: scf.while
// CHECK:         spmd.return
spmd.kernel @others(%v: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %p = scf.while (%b = %v) : (i32) -> i32 {
    %more = arith.cmpi sgt, %b, %c0 : i32
    scf.condition(%more) %b : i32
  } do {
  ^bb0(%b: i32):
    %less = arith.subi %b, %c1 : i32
    %next = arith.andi %b, %less : i32
    scf.yield %next : i32
  }
  %q = scf.while (%b = %v) : (i32) -> i32 {
    %more = arith.cmpi ne, %b, %c0 : i32
    scf.condition(%more) %b : i32
  } do {
  ^bb0(%b: i32):
    %less = arith.subi %b, %c3 : i32
    %next = arith.andi %b, %less : i32
    scf.yield %next : i32
  }
  %r = scf.while (%b = %v) : (i32) -> i32 {
    %more = arith.cmpi ne, %b, %c0 : i32
    scf.condition(%more) %b : i32
  } do {
  ^bb0(%b: i32):
    %less = arith.subi %v, %c1 : i32
    %next = arith.andi %b, %less : i32
    scf.yield %next : i32
  }
  "test.op"(%p, %q, %r) : (i32, i32, i32) -> ()
  spmd.return
}
