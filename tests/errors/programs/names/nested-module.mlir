// 3:3: expected kernels and functions in one module, got a module in it
module {
  module {
    spmd.kernel @k() {
      spmd.return
    }
  }
}
