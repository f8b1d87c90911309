// 2:32: Expected '>' after builtin parameter list
spmd.kernel @k(%x: memref<?xf32) {
  spmd.return
}
