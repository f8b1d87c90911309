// 3:3: 'gpu.func': expected memory of known size as attribution, got memref<?xf32, 3 : i64>; what the launch sizes is gpu.dynamic_shared_memory
gpu.module @m {
  gpu.func @f() workgroup(%x: memref<?xf32, 3>) kernel {
    gpu.return
  }
}
