// 5:5: 'spmd.print': expected a value for each of the 2 places in the message, got 1
gpu.module @m {
  gpu.func @f() kernel {
    %c = arith.constant 1 : i32
    gpu.printf "%d %d\n", %c : i32
    gpu.return
  }
}
