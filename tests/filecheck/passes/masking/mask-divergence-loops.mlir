// RUN: xdsl-opt %s -p mask-divergence --split-input-file | filecheck %s

// Lanes that are done have arrays of their own, which they must leave alone, even where
// all others store the same.

// CHECK-LABEL: func.func @private_stores
// CHECK:         %active = arith.cmpi slt, %lane, %left : index
// CHECK:         spmd.masked %active {
// CHECK-NEXT:      memref.store %k32, %a[%c0] : memref<4xi32>
func.func @private_stores(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %a = memref.alloca() : memref<4xi32>
    memref.store %one, %a[%c0] : memref<4xi32>
    scf.for %k = %lx to %n step %c8 {
      %k32 = arith.index_cast %n : index to i32
      memref.store %k32, %a[%c0] : memref<4xi32>
    }
    %v = memref.load %a[%c0] : memref<4xi32>
    memref.store %v, %x[%lx] : memref<?xi32>
  }
  func.return
}

// -----

// Beyond the largest index the lanes that follow lane 0 start first.

// CHECK-LABEL: func.func @wraps
// CHECK:         %live, %k = scf.while
func.func @wraps(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %far = arith.constant 9223372036854775804 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %start = arith.addi %lx, %far : index
    scf.for %k = %start to %n step %c8 {
      memref.store %one, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}

// -----

// From a negative start, what is left may take all bits.

// CHECK-LABEL: func.func @from_below_zero
// CHECK:         %left = arith.subi %n, %k : index
// CHECK-NEXT:    %active = arith.cmpi ult, %lane, %left : index
func.func @from_below_zero(%n: index, %m: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %start = arith.addi %lx, %m overflow<nsw> : index
    scf.for %k = %start to %n step %c8 {
      memref.store %one, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}
