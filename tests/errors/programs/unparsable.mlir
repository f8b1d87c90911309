// 2:32: expected '>', got ')'
spmd.kernel @k(%x: memref<?xf32) {
  spmd.return
}
