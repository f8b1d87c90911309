// Barriers in an if without else, in a loop without values.
spmd.kernel @if_without_else(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  %flag = memref.load %flags[%group] : memref<?xi32>
  %odd = arith.trunci %flag : i32 to i1
  scf.if %odd {
    scf.for %i = %c0 to %c2 step %c1 {
      spmd.barrier
      %w = memref.load %tile[%i] : memref<256xi32, #spmd.memory<local>>
      %s = arith.addi %w, %v : i32
      spmd.barrier
      memref.store %s, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    }
  }
  spmd.barrier
  %last = arith.subi %size, %c1 : index
  %mirror = arith.subi %last, %lid : index
  %o = memref.load %tile[%mirror] : memref<256xi32, #spmd.memory<local>>
  memref.store %o, %x[%gid] : memref<?xi32>
  spmd.return
}
