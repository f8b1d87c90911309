// 5:3: expected an operation or '}', got '/*'
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  /* a */
  spmd.return
}
