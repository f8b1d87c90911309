// Private arrays across barriers: loaded and stored, and taken as values.
spmd.kernel @private_arrays(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %p = memref.alloca() : memref<4xi32>
  %q = memref.alloca() : memref<2x4xi32, #spmd.memory<private>>
  %scratch = memref.alloca() : memref<4xi32>
  %v = memref.load %x[%gid] : memref<?xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    %n = arith.index_cast %i : index to i32
    %w = arith.muli %v, %n : i32
    memref.store %w, %p[%i] : memref<4xi32>
    memref.store %w, %scratch[%i] : memref<4xi32>
    memref.store %n, %q[%c1, %i] : memref<2x4xi32, #spmd.memory<private>>
  }
  %a = memref.load %scratch[%c1] : memref<4xi32>
  memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  %row = memref.subview %q[1, 0] [1, 4] [1, 1] : memref<2x4xi32, #spmd.memory<private>> to memref<4xi32, strided<[1], offset: 4>, #spmd.memory<private>>
  %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %zero) -> (i32) {
    spmd.barrier
    %next = arith.addi %lid, %i : index
    %wrapped = arith.remui %next, %size : index
    %other = memref.load %tile[%wrapped] : memref<256xi32, #spmd.memory<local>>
    %mine = memref.load %p[%i] : memref<4xi32>
    %third = memref.load %row[%i] : memref<4xi32, strided<[1], offset: 4>, #spmd.memory<private>>
    %s = arith.addi %mine, %other : i32
    %s2 = arith.addi %s, %third : i32
    memref.store %s2, %p[%i] : memref<4xi32>
    memref.store %s, %row[%i] : memref<4xi32, strided<[1], offset: 4>, #spmd.memory<private>>
    %t2 = arith.addi %t, %s2 : i32
    scf.yield %t2 : i32
  }
  %last = memref.load %q[%c1, %c1] : memref<2x4xi32, #spmd.memory<private>>
  %o = arith.addi %total, %last : i32
  memref.store %o, %y[%gid] : memref<?xi32>
  spmd.return
}
