// 3:32: expected a whole number for an integer type
spmd.kernel @k() {
  %f = arith.constant 1.0 : i32
  spmd.return
}
