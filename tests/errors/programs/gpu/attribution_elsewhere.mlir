// 3:3: expected workgroup(...) in that address space, got memref<4xf32>
gpu.module @m {
  gpu.func @f() workgroup(%x: memref<4xf32>) kernel {
    gpu.return
  }
}
