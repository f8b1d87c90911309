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

// -----

// What an outer loop carries is an end too: the inner one does not set it.

// CHECK-LABEL: spmd.kernel @carried_end
// CHECK:         scf.for %k = %c0 to %{{.*}} step %c1
// CHECK-NOT:     scf.while
// CHECK:           scf.for %l = %c0 to %{{.*}} step %c1
// CHECK-NOT:     scf.while
spmd.kernel @carried_end(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  cf.br ^outer(%c0, %n : index, index)
^outer(%k: index, %end: index):
  %again = arith.cmpi slt, %k, %n : index
  cf.cond_br %again, ^head(%c0 : index), ^end
^head(%l: index):
  %more = arith.cmpi slt, %l, %end : index
  cf.cond_br %more, ^body, ^next
^body:
  memref.store %one, %x[%l] : memref<?xi32>
  %l1 = arith.addi %l, %c1 : index
  cf.br ^head(%l1 : index)
^next:
  %k1 = arith.addi %k, %c1 : index
  %less = arith.subi %end, %c1 : index
  cf.br ^outer(%k1, %less : index, index)
^end:
  spmd.return
}
