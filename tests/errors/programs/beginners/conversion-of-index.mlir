// 5:8: expected integers such as i64 in arith.sitofp, got index; arith.index_cast converts between index and integers
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.sitofp %i : index to f32
  spmd.return
}
