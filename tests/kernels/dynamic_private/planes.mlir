// Sizes that are known from the start, in two dimensions.
spmd.kernel @planes(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  %rows = arith.addi %n, %c1 : index
  %a = memref.alloca(%rows, %rows) : memref<?x3x?xi32>
  scf.for %i = %c0 to %rows step %c1 {
    %k = arith.index_cast %i : index to i32
    %w = arith.addi %v, %k : i32
    memref.store %w, %a[%i, %c2, %n] : memref<?x3x?xi32>
  }
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %lid, %c1 : index
  %there = arith.remui %next, %size : index
  %other = memref.load %tile[%there] : memref<256xi32, #spmd.memory<local>>
  %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%sum = %other) -> (i32) {
    %w = memref.load %a[%i, %c2, %n] : memref<?x3x?xi32>
    %new = arith.addi %sum, %w : i32
    scf.yield %new : i32
  }
  memref.store %sum, %x[%gid] : memref<?xi32>
  spmd.return
}
