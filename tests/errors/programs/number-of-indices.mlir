// 4:8: 'memref.load': expected an index for each dimension
spmd.kernel @k(%x: memref<?x?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?x?xf32>
  spmd.return
}
