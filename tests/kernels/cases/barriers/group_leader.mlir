// One work-item prepares what all others read after the barrier.
spmd.kernel @group_leader(%x: memref<?xf32>, %out: memref<?xf32>) {
  %slot = spmd.local_alloc : memref<f32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %c0 = arith.constant 0 : index
  %leader = arith.cmpi eq, %l, %c0 : index
  scf.if %leader {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %v : f32
    memref.store %w, %slot[] : memref<f32, #spmd.memory<local>>
  }
  spmd.barrier
  %shared = memref.load %slot[] : memref<f32, #spmd.memory<local>>
  %mine = memref.load %x[%i] : memref<?xf32>
  %r = arith.addf %shared, %mine : f32
  memref.store %r, %out[%i] : memref<?xf32>
  spmd.return
}
