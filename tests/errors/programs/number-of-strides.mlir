// 2:1: argument 0: expected 2 strides, got memref<?x?xf32, strided<[1]>>
spmd.kernel @k(%x: memref<?x?xf32, strided<[1]>>) {
  spmd.return
}
