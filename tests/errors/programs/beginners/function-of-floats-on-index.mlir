// 5:8: expected floats in math.sqrt, got index
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = math.sqrt %i : index
  spmd.return
}
