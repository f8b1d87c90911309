// Parts of an array of dynamic size, and the one of two that a work-item chose.
spmd.kernel @as_value(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %count = arith.addi %n, %c3 : index
  %a = memref.alloca(%count) : memref<?xi32>
  %b = memref.alloca(%count) : memref<?xi32>
  %part = memref.subview %a[%n] [2] [1] : memref<?xi32> to memref<2xi32, strided<[1], offset: ?>>
  memref.store %v, %part[%c1] : memref<2xi32, strided<[1], offset: ?>>
  %zero = arith.constant 0 : i32
  memref.store %zero, %b[%c0] : memref<?xi32>
  memref.store %zero, %part[%c0] : memref<2xi32, strided<[1], offset: ?>>
  %negative = arith.cmpi slt, %v, %zero : i32
  %m = scf.if %negative -> (memref<?xi32>) {
    scf.yield %a : memref<?xi32>
  } else {
    scf.yield %b : memref<?xi32>
  }
  spmd.barrier
  %w = memref.load %part[%c1] : memref<2xi32, strided<[1], offset: ?>>
  memref.store %w, %m[%n] : memref<?xi32>
  spmd.barrier
  %first = memref.load %part[%c0] : memref<2xi32, strided<[1], offset: ?>>
  %second = memref.load %m[%n] : memref<?xi32>
  %length = memref.dim %m, %c0 : memref<?xi32>
  %k = arith.index_cast %length : index to i32
  %s = arith.addi %first, %second : i32
  %t = arith.addi %s, %k : i32
  memref.store %t, %x[%gid] : memref<?xi32>
  spmd.return
}
