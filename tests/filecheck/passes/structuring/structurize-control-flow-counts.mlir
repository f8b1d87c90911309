// RUN: xdsl-opt %s -p structurize-control-flow --split-input-file | filecheck %s

// The last sum, 124, is the largest that the loop may compute and stays below 128.

// CHECK-LABEL: spmd.kernel @near
// CHECK:         scf.for %k = %c0 to %c120 step %c5 : i8 {
spmd.kernel @near(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : i8
  %c120 = arith.constant 120 : i8
  %c5 = arith.constant 5 : i8
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  cf.br ^head(%c0 : i8)
^head(%k: i8):
  %more = arith.cmpi slt, %k, %c120 : i8
  cf.cond_br %more, ^body, ^end
^body:
  memref.store %one, %x[%i] : memref<?xi32>
  %next = arith.addi %k, %c5 : i8
  cf.br ^head(%next : i8)
^end:
  spmd.return
}

// -----

// Beyond 125 comes 130, which is -126 in eight bits: the loop goes on.

// CHECK-LABEL: spmd.kernel @wraps
// CHECK:         scf.while
spmd.kernel @wraps(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : i8
  %c125 = arith.constant 125 : i8
  %c5 = arith.constant 5 : i8
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  cf.br ^head(%c0 : i8)
^head(%k: i8):
  %more = arith.cmpi slt, %k, %c125 : i8
  cf.cond_br %more, ^body, ^end
^body:
  memref.store %one, %x[%i] : memref<?xi32>
  %next = arith.addi %k, %c5 : i8
  cf.br ^head(%next : i8)
^end:
  spmd.return
}
