// Each work-item works on a subview of its own row.
spmd.kernel @views(%a: memref<?x8xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %row = memref.subview %a[%i, 1] [1, 6] [1, 1]
    : memref<?x8xi32> to memref<6xi32, strided<[1], offset: ?>>
  %even = memref.subview %row[0] [3] [2]
    : memref<6xi32, strided<[1], offset: ?>> to memref<3xi32, strided<[2], offset: ?>>
  %sum = scf.for %j = %c0 to %c3 step %c1 iter_args(%s = %c0) -> (index) {
    %v = memref.load %even[%j] : memref<3xi32, strided<[2], offset: ?>>
    %w = arith.index_cast %v : i32 to index
    %t = arith.addi %s, %w : index
    scf.yield %t : index
  }
  %r = arith.index_cast %sum : index to i32
  memref.store %r, %row[%c1] : memref<6xi32, strided<[1], offset: ?>>
  spmd.return
}
