// 4:10: expected an integer for minsi, got f32
gpu.module @m {
  gpu.func @f(%v: f32) kernel {
    %c = gpu.all_reduce minsi %v {} : (f32) -> f32
    gpu.return
  }
}
