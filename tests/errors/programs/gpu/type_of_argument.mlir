// 8:3: 'spmd.launch': expected argument 0 of kernel @f to be memref<4xf32>, got index
gpu.module @m {
  gpu.func @f(%x: memref<4xf32>) kernel {
    gpu.return
  }
}
func.func @main(%n: index) {
  gpu.launch_func @m::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index)
  func.return
}
