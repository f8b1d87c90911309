// A private array is written before a barrier and read after it.
spmd.kernel @private_across_barrier(%x: memref<?xi32>, %y: memref<?xi32>) {
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %mine = memref.alloca() : memref<4xi32>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = memref.load %x[%i] : memref<?xi32>
  scf.for %j = %c0 to %c4 step %c1 {
    %j32 = arith.index_cast %j : index to i32
    %p = arith.muli %v, %j32 : i32
    memref.store %p, %mine[%j] : memref<4xi32>
  }
  memref.store %v, %tile[%l] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %l, %c1 : index
  %other = arith.remui %next, %n : index
  %w = memref.load %tile[%other] : memref<64xi32, #spmd.memory<local>>
  %three = arith.constant 3 : i32
  %low = arith.andi %w, %three : i32
  %at = arith.index_cast %low : i32 to index
  %q = memref.load %mine[%at] : memref<4xi32>
  memref.store %q, %y[%i] : memref<?xi32>
  spmd.return
}
