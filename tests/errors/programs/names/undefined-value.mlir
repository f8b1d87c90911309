// 3:23: value %i is never defined
spmd.kernel @k(%x: memref<?xf32>) {
  %v = memref.load %x[%i] : memref<?xf32>
  spmd.return
}
