// 8:3: expected a kernel in a gpu.module of this module (@m::@f), got @m::@g
gpu.module @m {
  gpu.func @f() kernel {
    gpu.return
  }
}
func.func @main(%n: index) {
  gpu.launch_func @m::@g blocks in (%n, %n, %n) threads in (%n, %n, %n)
  func.return
}
