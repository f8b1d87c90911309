// The trip count of a loop with a barrier is loaded: uniform at run time only.
spmd.kernel @barrier_trips_from_memory(%trips: memref<1xindex>, %x: memref<?xi32>) {
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.load %trips[%c0] : memref<1xindex>
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l] : memref<64xi32, #spmd.memory<local>>
  scf.for %j = %c0 to %n step %c1 {
    spmd.barrier
    %a = memref.load %tile[%c0] : memref<64xi32, #spmd.memory<local>>
    %b = memref.load %tile[%l] : memref<64xi32, #spmd.memory<local>>
    %c = arith.addi %a, %b : i32
    spmd.barrier
    memref.store %c, %tile[%l] : memref<64xi32, #spmd.memory<local>>
  }
  %r = memref.load %tile[%l] : memref<64xi32, #spmd.memory<local>>
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
