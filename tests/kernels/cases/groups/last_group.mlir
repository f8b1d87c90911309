// Each group stores its sum; the group that comes last adds all sums up.
spmd.kernel @last_group(%x: memref<?xi32>, %sums: memref<?xi32>, %done: memref<1xi32>,
    %total: memref<1xi32>) {
  %last = spmd.local_alloc : memref<i1, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %g = spmd.group_id x
  %groups = spmd.num_groups x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %sum = spmd.reduce add %v across work_group : i32
  %leader = arith.cmpi eq, %l, %c0 : index
  scf.if %leader {
    memref.store %sum, %sums[%g] : memref<?xi32>
    %before = spmd.atomic_rmw add %one, %done[%c0] ordering(acq_rel) : memref<1xi32>
    %count = arith.index_cast %groups : index to i32
    %end = arith.subi %count, %one : i32
    %is_last = arith.cmpi eq, %before, %end : i32
    memref.store %is_last, %last[] : memref<i1, #spmd.memory<local>>
  }
  spmd.barrier
  %mine = memref.load %last[] : memref<i1, #spmd.memory<local>>
  %both = arith.andi %mine, %leader : i1
  scf.if %both {
    %all = scf.for %j = %c0 to %groups step %c1 iter_args(%t = %zero) -> (i32) {
      %s = memref.load %sums[%j] : memref<?xi32>
      %u = arith.addi %t, %s : i32
      scf.yield %u : i32
    }
    memref.store %all, %total[%c0] : memref<1xi32>
  }
  spmd.return
}
