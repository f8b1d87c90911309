// 6:20: expected an operation, or '=' after the names of results; the operation before takes no more operands, or takes them in parentheses
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>

  spmd.return %v : f32
}
