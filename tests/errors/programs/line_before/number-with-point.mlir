// 3:32: Floating point value is not valid for integer type.
spmd.kernel @k() {
  %f = arith.constant 1.0 : i32
  spmd.return
}
