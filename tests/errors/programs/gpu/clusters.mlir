// 8:3: expected gpu.launch_func without clusters, which a CPU does not have
gpu.module @m {
  gpu.func @f() kernel {
    gpu.return
  }
}
func.func @main(%n: index) {
  gpu.launch_func @m::@f clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n)
  func.return
}
