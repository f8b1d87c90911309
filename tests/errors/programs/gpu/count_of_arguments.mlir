// 8:3: 'spmd.launch': expected 1 arguments for kernel @f, got 0
gpu.module @m {
  gpu.func @f(%x: memref<4xf32>) kernel {
    gpu.return
  }
}
func.func @main(%n: index) {
  gpu.launch_func @m::@f blocks in (%n, %n, %n) threads in (%n, %n, %n)
  func.return
}
