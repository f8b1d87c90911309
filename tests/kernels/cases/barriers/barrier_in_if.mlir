// A barrier under a condition that all work-items agree on.
spmd.kernel @barrier_in_if(%flag: i1, %x: memref<?xf32>) {
  %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %tile[%l] : memref<64xf32, #spmd.memory<local>>
  %w = scf.if %flag -> (f32) {
    spmd.barrier
    %a = memref.load %tile[%c0] : memref<64xf32, #spmd.memory<local>>
    scf.yield %a : f32
  } else {
    scf.yield %v : f32
  }
  %r = arith.addf %w, %v : f32
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
}
