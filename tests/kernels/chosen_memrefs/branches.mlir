// Each work-item takes a part of one of two arrays, and uses it after a barrier.
spmd.kernel @branches(%x: memref<?xi32>, %y: memref<?xi32>, %flags: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %own = arith.addi %gid, %gid : index
  %flag = memref.load %flags[%gid] : memref<?xi1>
  %m = scf.if %flag -> (memref<2xi32, strided<[?], offset: ?>>) {
    %part = memref.subview %x[%own] [2] [0] : memref<?xi32> to memref<2xi32, strided<[0], offset: ?>>
    %wide = memref.cast %part : memref<2xi32, strided<[0], offset: ?>> to memref<2xi32, strided<[?], offset: ?>>
    scf.yield %wide : memref<2xi32, strided<[?], offset: ?>>
  } else {
    %part = memref.subview %y[%own] [2] [1] : memref<?xi32> to memref<2xi32, strided<[1], offset: ?>>
    %wide = memref.cast %part : memref<2xi32, strided<[1], offset: ?>> to memref<2xi32, strided<[?], offset: ?>>
    scf.yield %wide : memref<2xi32, strided<[?], offset: ?>>
  }
  %v = memref.load %m[%c1] : memref<2xi32, strided<[?], offset: ?>>
  spmd.barrier
  %w = memref.load %m[%c0] : memref<2xi32, strided<[?], offset: ?>>
  %tail = memref.subview %m[1] [1] [1] : memref<2xi32, strided<[?], offset: ?>> to memref<1xi32, strided<[?], offset: ?>>
  spmd.barrier
  %sum = arith.addi %v, %w : i32
  memref.store %sum, %m[%c0] : memref<2xi32, strided<[?], offset: ?>>
  spmd.return
}
