// Work-items reach the barrier in different iterations, with different arrays.
spmd.kernel @iterations(%x: memref<?xi32>, %y: memref<?xi32>, %trips: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %late = memref.load %trips[%gid] : memref<?xindex>
  %end = arith.addi %late, %c2 : index
  %r:2 = scf.for %i = %c0 to %end step %c1 iter_args(%from = %x, %to = %y) -> (memref<?xi32>, memref<?xi32>) {
    %v = memref.load %from[%gid] : memref<?xi32>
    memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    %here = arith.cmpi eq, %i, %late : index
    scf.if %here {
      spmd.barrier
      %next = arith.addi %lid, %c1 : index
      %there = arith.remui %next, %size : index
      %w = memref.load %tile[%there] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      memref.store %w, %to[%gid] : memref<?xi32>
    }
    %old = memref.load %to[%gid] : memref<?xi32>
    %new = arith.addi %old, %v : i32
    memref.store %new, %to[%gid] : memref<?xi32>
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
  spmd.return
}
