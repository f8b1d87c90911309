// Work-items leave in different iterations, and take with them where they were.
spmd.kernel @iterations(%x: memref<?xi32>, %trips: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tile = spmd.local_alloc : memref<1024xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %late = memref.load %trips[%gid] : memref<?xindex>
  %end = arith.addi %late, %c2 : index
  %start = arith.muli %lid, %c2 : index
  %v = memref.load %x[%gid] : memref<?xi32>
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%at = %start) -> (index) {
    %here = arith.cmpi eq, %i, %late : index
    scf.if %here {
      memref.store %v, %tile[%lid] : memref<1024xi32, #spmd.memory<local>>
      spmd.barrier
      %next = arith.addi %lid, %c1 : index
      %there = arith.remui %next, %size : index
      %w = memref.load %tile[%there] : memref<1024xi32, #spmd.memory<local>>
      %k = arith.index_cast %at : index to i32
      %sum = arith.addi %w, %k : i32
      memref.store %sum, %x[%gid] : memref<?xi32>
    }
    %to = arith.addi %at, %size : index
    scf.yield %to : index
  }
  %k = arith.index_cast %r : index to i32
  %w = memref.load %x[%gid] : memref<?xi32>
  %sum = arith.addi %w, %k : i32
  memref.store %sum, %x[%gid] : memref<?xi32>
  spmd.return
}
