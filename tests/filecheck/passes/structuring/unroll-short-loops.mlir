// RUN: xdsl-opt %s -p unroll-short-loops --split-input-file | filecheck %s

// What a loop carries is carried on; a branch in it, and numbers computed of the counter, are known.

// CHECK-LABEL: spmd.kernel @pixels
// CHECK-NOT:     scf.for
// CHECK:         %v = memref.load %x[%i, %c0] : memref<?x3xi32>
// CHECK-NEXT:    %t = arith.addi %s0, %v : i32
// CHECK-NEXT:    memref.store %t, %y[%i, %c2] : memref<?x3xi32>
// CHECK-NEXT:    %v_1 = memref.load %x[%i, %c1] : memref<?x3xi32>
// CHECK-NEXT:    %t_1 = arith.addi %t, %v_1 : i32
// CHECK-NEXT:    memref.store %t_1, %y[%i, %c1] : memref<?x3xi32>
// CHECK-NEXT:    %v_2 = memref.load %x[%i, %c2] : memref<?x3xi32>
// CHECK-NEXT:    %t_2 = arith.addi %t_1, %v_2 : i32
// CHECK-NEXT:    memref.store %t_2, %y[%i, %c0] : memref<?x3xi32>
// CHECK-NEXT:    "test.op"(%t_2) : (i32) -> ()
spmd.kernel @pixels(%x: memref<?x3xi32>, %y: memref<?x3xi32>, %s0: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %r = scf.for %c = %c0 to %c3 step %c1 iter_args(%s = %s0) -> (i32) {
    %v = memref.load %x[%i, %c] : memref<?x3xi32>
    %t = arith.addi %s, %v : i32
    %back = arith.subi %c2, %c : index
    memref.store %t, %y[%i, %back] : memref<?x3xi32>
    scf.yield %t : i32
  }
  "test.op"(%r) : (i32) -> ()
  spmd.return
}

// -----

// Loops in loops, as far as the elements are close to each other. A loop in the loop may stay.

// CHECK-LABEL: spmd.kernel @matrices
// CHECK:         scf.for %a = %c0 to %c4 step %c1 {
// CHECK-COUNT-4:   memref.store %v, %x[%i, %a, {{%c[0-3]}}] : memref<?x4x4xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %v, %y[%i, %c0, %c0] : memref<?x2x2xi32>
// CHECK-NEXT:    memref.store %v, %y[%i, %c0, %c1] : memref<?x2x2xi32>
// CHECK-NEXT:    memref.store %v, %y[%i, %c1, %c0] : memref<?x2x2xi32>
// CHECK-NEXT:    memref.store %v, %y[%i, %c1, %c1] : memref<?x2x2xi32>
// CHECK-NEXT:    %s = scf.for
// CHECK:         memref.store %s, %z[%i, %c0] : memref<?x2xi32>
// CHECK-NEXT:    %s_1 = scf.for
// CHECK:         memref.store %s_1, %z[%i, %c1] : memref<?x2xi32>
// CHECK-NEXT:    spmd.return
spmd.kernel @matrices(%x: memref<?x4x4xi32>, %y: memref<?x2x2xi32>, %z: memref<?x2xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %i = spmd.global_id x
  scf.for %a = %c0 to %c4 step %c1 {
    scf.for %b = %c0 to %c4 step %c1 {
      memref.store %v, %x[%i, %a, %b] : memref<?x4x4xi32>
    }
  }
  scf.for %a = %c0 to %c2 step %c1 {
    scf.for %b = %c0 to %c2 step %c1 {
      memref.store %v, %y[%i, %a, %b] : memref<?x2x2xi32>
    }
  }
  scf.for %a = %c0 to %c2 step %c1 {
    %s = scf.for %k = %c0 to %i step %c1 iter_args(%t = %v) -> (i32) {
      %w = memref.load %z[%k, %a] : memref<?x2xi32>
      %u = arith.addi %t, %w : i32
      scf.yield %u : i32
    }
    memref.store %s, %z[%i, %a] : memref<?x2xi32>
  }
  spmd.return
}

// -----

// Loops stay that go along rows of unknown length, across rows, along memory of the work-item, or
// in which work-items wait for each other.

// CHECK-LABEL: spmd.kernel @stay
// CHECK-COUNT-5: scf.for
// CHECK-NOT:     scf.for
spmd.kernel @stay(%x: memref<?x?xi32>, %y: memref<?x3xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %own = memref.alloca() : memref<2x3xi32>
  scf.for %c = %c0 to %c3 step %c1 {
    memref.store %v, %x[%i, %c] : memref<?x?xi32>
  }
  scf.for %c = %c0 to %c3 step %c1 {
    memref.store %v, %y[%c, %c1] : memref<?x3xi32>
  }
  scf.for %c = %c0 to %c3 step %c1 {
    memref.store %v, %own[%c1, %c] : memref<2x3xi32>
  }
  scf.for %c = %c0 to %c3 step %c1 {
    memref.store %v, %y[%i, %c] : memref<?x3xi32>
    spmd.barrier
  }
  scf.for %c = %c0 to %i step %c1 {
    memref.store %v, %y[%i, %c] : memref<?x3xi32>
  }
  spmd.return
}

// -----

// Work-items that are four elements apart leave to others what lies between them, and those that
// trade places do so in a fashion that each number of the loop says.

// CHECK-LABEL: spmd.kernel @interleaved
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: memref.load %x[{{%\w+}}]
// CHECK-NOT:     memref.load %x
// CHECK-COUNT-3: memref.load %y[{{%\w+}}]
// CHECK-NOT:     scf.for
// CHECK:         spmd.return
spmd.kernel @interleaved(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %first = arith.muli %i, %c4 : index
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
    %at = arith.addi %first, %k : index
    %v = memref.load %x[%at] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %all = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %sum) -> (f32) {
    %at = arith.xori %i, %k : index
    %v = memref.load %y[%at] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  memref.store %all, %z[%i] : memref<?xf32>
  spmd.return
}

// -----

// Neighbours, elements that are far apart, and those of other rows have nothing between them that
// others access.

// CHECK-LABEL: spmd.kernel @nothing_between
// CHECK-COUNT-3: scf.for
// CHECK-NOT:     scf.for
spmd.kernel @nothing_between(%x: memref<?xf32>, %y: memref<?x64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %i = spmd.global_id x
  %far = arith.muli %i, %c8 : index
  %two = arith.muli %i, %c2 : index
  scf.for %k = %c0 to %c4 step %c1 {
    %at = arith.addi %i, %k : index
    memref.store %v, %x[%at] : memref<?xf32>
  }
  scf.for %k = %c0 to %c4 step %c1 {
    %at = arith.addi %far, %k : index
    memref.store %v, %x[%at] : memref<?xf32>
  }
  scf.for %k = %c0 to %c4 step %c1 {
    memref.store %v, %y[%k, %two] : memref<?x64xf32>
  }
  spmd.return
}
