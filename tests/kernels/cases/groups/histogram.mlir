// A histogram of each group in local memory, then atomic additions to the whole.
spmd.kernel @histogram(%x: memref<?xi32>, %bins: memref<8xi32>) {
  %mine = spmd.local_alloc : memref<8xi32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  scf.for %b = %l to %c8 step %n {
    memref.store %zero, %mine[%b] : memref<8xi32, #spmd.memory<local>>
  }
  spmd.barrier
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.andi %v, %seven : i32
  %bin = arith.index_cast %low : i32 to index
  %old = spmd.atomic_rmw add %one, %mine[%bin] scope(work_group) : memref<8xi32, #spmd.memory<local>>
  spmd.barrier
  scf.for %b = %l to %c8 step %n {
    %count = memref.load %mine[%b] : memref<8xi32, #spmd.memory<local>>
    %before = spmd.atomic_rmw add %count, %bins[%b] : memref<8xi32>
  }
  spmd.return
}
