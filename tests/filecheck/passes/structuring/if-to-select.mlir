// RUN: xdsl-opt %s -p if-to-select --split-input-file | filecheck %s

// Both sides are computed before, and each result is a choice. Choices among choices are choices.

// CHECK-LABEL: spmd.kernel @chosen
// CHECK:         %inside = arith.cmpi sgt, %i, %r : index
// CHECK-NEXT:    %left = arith.subi %i, %r : index
// CHECK-NEXT:    %n = memref.dim %x, %c0 : memref<?xi32>
// CHECK-NEXT:    %fits = arith.cmpi slt, %r, %n : index
// CHECK-NEXT:    %end = arith.select %fits, %r, %n : index
// CHECK-NEXT:    %low = arith.select %inside, %left, %c0 : index
// CHECK-NEXT:    %high = arith.select %inside, %i, %end : index
// CHECK-NEXT:    "test.op"(%low, %high) : (index, index) -> ()
spmd.kernel @chosen(%x: memref<?xi32>, %r: index) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %inside = arith.cmpi sgt, %i, %r : index
  %low, %high = scf.if %inside -> (index, index) {
    %left = arith.subi %i, %r : index
    scf.yield %left, %i : index, index
  } else {
    %n = memref.dim %x, %c0 : memref<?xi32>
    %fits = arith.cmpi slt, %r, %n : index
    %end = scf.if %fits -> (index) {
      scf.yield %r : index
    } else {
      scf.yield %n : index
    }
    scf.yield %c0, %end : index, index
  }
  "test.op"(%low, %high) : (index, index) -> ()
  spmd.return
}

// -----

// What may trap, access memory or take long is computed where it is asked for; floats and memrefs
// are chosen by branches, too, and so is what is undefined on one side.

// CHECK-LABEL: spmd.kernel @branches
// CHECK-NOT:     arith.select
// CHECK:         spmd.return
spmd.kernel @branches(%x: memref<?xi32>, %m: i32, %f: f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %nothing = ub.poison : i32
  %some = arith.cmpi ne, %m, %zero : i32
  %quotient = scf.if %some -> (i32) {
    %q = arith.divsi %m, %m : i32
    scf.yield %q : i32
  } else {
    scf.yield %zero : i32
  }
  %loaded = scf.if %some -> (i32) {
    %v = memref.load %x[%c0] : memref<?xi32>
    scf.yield %v : i32
  } else {
    scf.yield %zero : i32
  }
  %long = scf.if %some -> (i32) {
    %a = arith.addi %m, %m : i32
    %b = arith.muli %a, %m : i32
    %c = arith.xori %b, %a : i32
    %d = arith.muli %c, %b : i32
    %e = arith.xori %d, %c : i32
    scf.yield %e : i32
  } else {
    scf.yield %zero : i32
  }
  %rounded = scf.if %some -> (i32) {
    %g = arith.mulf %f, %one : f32
    %h = arith.fptosi %g : f32 to i32
    scf.yield %h : i32
  } else {
    scf.yield %zero : i32
  }
  %float = scf.if %some -> (f32) {
    scf.yield %f : f32
  } else {
    scf.yield %one : f32
  }
  %undefined = scf.if %some -> (i32) {
    scf.yield %m : i32
  } else {
    scf.yield %nothing : i32
  }
  "test.op"(%quotient, %loaded, %long, %rounded, %float, %undefined) : (i32, i32, i32, i32, f32, i32) -> ()
  spmd.return
}
