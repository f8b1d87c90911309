// Local memory whose size the launch gives.
spmd.kernel @local_from_launch(%x: memref<?xf64>,
    %tile: memref<?xf64, #spmd.memory<local>>) {
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xf64>
  memref.store %v, %tile[%l] : memref<?xf64, #spmd.memory<local>>
  spmd.barrier
  %last = arith.subi %n, %c1 : index
  %other = arith.subi %last, %l : index
  %w = memref.load %tile[%other] : memref<?xf64, #spmd.memory<local>>
  memref.store %w, %x[%i] : memref<?xf64>
  spmd.return
}
