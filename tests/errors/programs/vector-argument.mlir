// 2:1: 'spmd.kernel': argument 0: expected index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, or a memref of one of these, got vector<4xf32>
spmd.kernel @k(%v: vector<4xf32>) {
  spmd.return
}
