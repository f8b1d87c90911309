// 5:5: expected %d, %i, %u, %o, %x, %X, %c, %f, %e or %g in a format, got %s
gpu.module @m {
  gpu.func @f() kernel {
    %c = arith.constant 1 : i32
    gpu.printf "%s\n", %c : i32
    gpu.return
  }
}
