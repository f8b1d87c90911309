// 4:10: expected memory of the group with fixed sizes, got memref<?xf32, #spmd.memory<local>>: use gpu.dynamic_shared_memory
gpu.module @m {
  gpu.func @f(%n: index) kernel {
    %a = memref.alloc(%n) : memref<?xf32, 3>
  gpu.return
  }
}
