// Each work-item takes every so-maniest element, with barriers on the way; the number of
// iterations is the same for all, and so small that the counter cannot wrap.
spmd.kernel @grid(%iterations: index, %x: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %all = spmd.global_size x
  %few = arith.minui %iterations, %c1000 : index
  %n = arith.muli %few, %all : index
  %next = arith.addi %lid, %c1 : index
  %there = arith.remui %next, %size : index
  scf.for %i = %gid to %n step %all {
    %v = memref.load %x[%i] : memref<?xi32>
    memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %w = memref.load %tile[%there] : memref<256xi32, #spmd.memory<local>>
    memref.store %w, %x[%i] : memref<?xi32>
    spmd.barrier
  }
  spmd.return
}
