// Varying and uniform loop-carried values through barriers: neighbours pass values on.
spmd.kernel @rotate_in_loop(%x: memref<?xi32>, %trips: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %n = memref.load %trips[%c0] : memref<?xindex>
  %v = memref.load %x[%gid] : memref<?xi32>
  %one = arith.constant 1 : i32
  %r, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v, %s = %one) -> (i32, i32) {
    memref.store %acc, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %next = arith.addi %lid, %c1 : index
    %wrapped = arith.remui %next, %size : index
    %w = memref.load %tile[%wrapped] : memref<256xi32, #spmd.memory<local>>
    %t = arith.muli %s, %w : i32
    %u = arith.addi %w, %s : i32
    %s2 = arith.addi %s, %s : i32
    spmd.barrier
    scf.yield %u, %s2 : i32, i32
  }
  %o = arith.addi %r, %sum : i32
  memref.store %o, %x[%gid] : memref<?xi32>
  spmd.return
}
