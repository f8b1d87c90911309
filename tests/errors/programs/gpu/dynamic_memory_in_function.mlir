// 3:24: expected gpu.dynamic_shared_memory in a kernel: pass it to the function
gpu.module @m { 
 func.func @g() { %d = gpu.dynamic_shared_memory : memref<?xi8, 3>
  func.return }
    gpu.func @f() kernel {
    func.call @g() : () -> ()
  gpu.return
  }
}
