// 6:3: expected spmd.return after memref.store, at the end of spmd.kernel
spmd.kernel @k(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
}
