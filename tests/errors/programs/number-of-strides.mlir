// 2:1: 'spmd.kernel': argument 0: expected the identity layout, or a strided one with a stride for each dimension, got memref<?x?xf32, strided<[1]>>
spmd.kernel @k(%x: memref<?x?xf32, strided<[1]>>) {
  spmd.return
}
