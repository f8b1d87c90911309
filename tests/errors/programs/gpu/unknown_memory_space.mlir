// 3:3: 'spmd.kernel': argument 0: expected a memref in #spmd.memory<global> (or without memory space) or #spmd.memory<local>, got memref<4xf32, 7 : i64>
gpu.module @m {
  gpu.func @f(%x: memref<4xf32, 7>) kernel {
    gpu.return
  }
}
