// 3:8: expected value %i to be defined before 'memref.load' uses it
spmd.kernel @k(%x: memref<?xf32>) {
  %v = memref.load %x[%i] : memref<?xf32>
  %i = spmd.global_id x
  spmd.return
}
