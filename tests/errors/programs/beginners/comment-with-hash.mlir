// 5:3: expected an operation, got '#'; a comment starts with //
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  # a comment
  spmd.return
}
