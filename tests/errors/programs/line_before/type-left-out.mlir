// 3:25: expected ':'
spmd.kernel @k(%v: f32) {
  %w = arith.addf %v, %v   // and no type

  spmd.return
}
