// Counts of a group in local memory, added to those of all groups at the end.
spmd.kernel @histogram(%iterations: index, %x: memref<?xi32>, %counts: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mask = arith.constant 15 : i32
  %bins = arith.constant 16 : index
  %local = spmd.local_alloc : memref<16xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %n = spmd.global_size x
  %size = spmd.local_size x
  scf.for %b = %lid to %bins step %size {
    memref.store %zero, %local[%b] : memref<16xi32, #spmd.memory<local>>
  }
  spmd.barrier
  scf.for %r = %c0 to %iterations step %c1 {
    %first = arith.muli %r, %n : index
    %i = arith.addi %first, %gid : index
    %v = memref.load %x[%i] : memref<?xi32>
    %bin = arith.andi %v, %mask : i32
    %b = arith.index_cast %bin : i32 to index
    %old = spmd.atomic_rmw add %one, %local[%b] scope(work_group) : memref<16xi32, #spmd.memory<local>>
  }
  spmd.barrier
  scf.for %b = %lid to %bins step %size {
    %count = memref.load %local[%b] : memref<16xi32, #spmd.memory<local>>
    %old = spmd.atomic_rmw add %count, %counts[%b] : memref<?xi32>
  }
  spmd.return
}
