// Counters of the group in local memory, which its work-items add to atomically.
!counters = memref<256xi32, #spmd.memory<local>>

spmd.kernel @histogram_atomic(%bins: memref<?xi32>, %data: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %counters = spmd.local_alloc : !counters
  %lid = spmd.local_id x
  %group = spmd.group_id x
  memref.store %zero, %counters[%lid] : !counters
  spmd.barrier
  %base = arith.muli %group, %c16384 : index
  %first = arith.addi %base, %lid : index
  scf.for %i = %c0 to %c64 step %c1 {
    %row = arith.muli %i, %c256 : index
    %at = arith.addi %first, %row : index
    %value32 = memref.load %data[%at] : memref<?xi32>
    %value = arith.index_cast %value32 : i32 to index
    %before = spmd.atomic_rmw add %one, %counters[%value] : !counters
  }
  spmd.barrier
  %count = memref.load %counters[%lid] : !counters
  %before = spmd.atomic_rmw add %count, %bins[%lid] : memref<?xi32>
  spmd.return
}
