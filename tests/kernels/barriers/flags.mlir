// i1 arrays, contexts of i1 and index, a barrier first and last and two in a row.
spmd.kernel @flags(%x: memref<?xi32>, %p: memref<?xi1>, %q: memref<?xi1>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  spmd.barrier
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %bits = spmd.local_alloc : memref<256xi1, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  %in = memref.load %p[%gid] : memref<?xi1>
  %neg = arith.cmpi slt, %v, %zero : i32
  %both = arith.xori %neg, %in : i1
  memref.store %both, %bits[%lid] : memref<256xi1, #spmd.memory<local>>
  spmd.barrier
  spmd.barrier
  %next = arith.addi %lid, %c1 : index
  %wrapped = arith.remui %next, %size : index
  %other = memref.load %bits[%wrapped] : memref<256xi1, #spmd.memory<local>>
  %r = arith.andi %other, %neg : i1
  memref.store %r, %q[%gid] : memref<?xi1>
  spmd.barrier
  spmd.return
}
