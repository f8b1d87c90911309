// RUN: xdsl-opt %s -p clip-counted-loops | filecheck %s
// RUN: xdsl-opt %s -p clip-counted-loops,clip-counted-loops | filecheck %s

// The first iterations, which all have.

// CHECK-LABEL: @first
// CHECK:         scf.for %i = %c0 to %c2 step %c1 {
// CHECK-NEXT:      spmd.barrier
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @first() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lid = spmd.local_id x
  %end = arith.addi %lid, %c2 : index
  scf.for %i = %c0 to %end step %c1 {
    %early = arith.cmpi ult, %i, %c2 : index
    scf.if %early {
      spmd.barrier
    }
  }
  spmd.return
}

// What is carried on, from the other branch or the loop; a condition the other way around.

// CHECK-LABEL: @carried
// CHECK:         %[[NEXT:.*]] = arith.addi %lid, %c1 : index
// CHECK-NEXT:    %[[END:.*]] = arith.minsi %[[NEXT]], %n : index
// CHECK-NEXT:    scf.for %i = %c0 to %[[END]] step %c1 iter_args(%a = %v, %b = %v) -> (i32, i32) {
// CHECK-NEXT:      %w = "test.op"(%a, %b)
// CHECK-NEXT:      scf.yield %w, %b
// CHECK-NEXT:    }
spmd.kernel @carried(%v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %n = spmd.local_size x
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v, %b = %v) -> (i32, i32) {
    %early = arith.cmpi sge, %lid, %i : index
    %u = scf.if %early -> (i32) {
      %w = "test.op"(%a, %b) : (i32, i32) -> i32
      scf.yield %w : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %u, %b : i32, i32
  }
  "test.op"(%r, %s) : (i32, i32) -> ()
  spmd.return
}

// Something to do in all iterations; another value there; a limit that changes; an unsigned
// comparison with what may be negative; a last number that may be the largest; the last ones;
// something to do in the others.

// CHECK-LABEL: @stay
// CHECK-COUNT-7: scf.if
spmd.kernel @stay(%v: i32, %k: i64, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %lid = spmd.local_id x
  %n = spmd.local_size x
  scf.for %i = %c0 to %n step %c1 {
    %early = arith.cmpi ult, %i, %lid : index
    scf.if %early {
      "test.op"() : () -> ()
    }
    "test.op"() : () -> ()
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {
    %early = arith.cmpi ult, %i, %lid : index
    %u = scf.if %early -> (i32) {
      %w = "test.op"() : () -> i32
      scf.yield %w : i32
    } else {
      scf.yield %v : i32
    }
    scf.yield %u : i32
  }
  scf.for %i = %c0 to %n step %c1 {
    %m = arith.subi %n, %i : index
    %early = arith.cmpi slt, %i, %m : index
    scf.if %early {
      "test.op"() : () -> ()
    }
  }
  scf.for %i = %zero to %k step %one : i64 {
    %early = arith.cmpi ult, %i, %k : i64
    scf.if %early {
      "test.op"() : () -> ()
    }
  }
  scf.for %i = %zero to %k step %one : i64 {
    %early = arith.cmpi sle, %i, %k : i64
    scf.if %early {
      "test.op"() : () -> ()
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %late = arith.cmpi uge, %i, %lid : index
    scf.if %late {
      "test.op"() : () -> ()
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %early = arith.cmpi ult, %i, %lid : index
    scf.if %early {
      "test.op"() : () -> ()
    } else {
      "test.op"() : () -> ()
    }
  }
  "test.op"(%r) : (i32) -> ()
  spmd.return
}
