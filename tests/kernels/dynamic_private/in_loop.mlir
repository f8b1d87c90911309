// Another size in each iteration of a uniform loop; bits.
spmd.kernel @in_loop(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xi1, #spmd.memory<local>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%gid] : memref<?xi32>
    %length = arith.addi %i, %c1 : index
    %a = memref.alloca(%length) : memref<?xi1>
    %bit = arith.trunci %v : i32 to i1
    memref.store %bit, %a[%i] : memref<?xi1>
    memref.store %bit, %tile[%lid] : memref<256xi1, #spmd.memory<local>>
    spmd.barrier
    %next = arith.addi %lid, %c1 : index
    %there = arith.remui %next, %size : index
    %other = memref.load %tile[%there] : memref<256xi1, #spmd.memory<local>>
    %own = memref.load %a[%i] : memref<?xi1>
    spmd.barrier
    %differ = arith.xori %own, %other : i1
    %half = arith.shrui %v, %one : i32
    %k = arith.extui %differ : i1 to i32
    %new = arith.addi %half, %k : i32
    memref.store %new, %x[%gid] : memref<?xi32>
  }
  spmd.return
}
