// Neighbours exchange values through local memory.
spmd.kernel @barrier_exchange(%x: memref<?xf32>) {
  %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %tile[%l] : memref<64xf32, #spmd.memory<local>>
  spmd.barrier
  %last = arith.subi %n, %c1 : index
  %other = arith.subi %last, %l : index
  %w = memref.load %tile[%other] : memref<64xf32, #spmd.memory<local>>
  %r = arith.subf %w, %v : f32
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
}
