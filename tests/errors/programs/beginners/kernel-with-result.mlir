// 2:13: expected a kernel without results; store them in a memref argument
spmd.kernel @k(%x: memref<?xf32>, %n: index) -> f32 {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>

  spmd.return
}
