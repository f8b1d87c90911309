// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: expected a gpu.func without workgroup(...), whose memory xDSL's op cannot have
gpu.module @m {
  gpu.func @f() workgroup(%x: memref<4xf32, 3>) kernel {
    gpu.return
  }
}

// -----

// CHECK: expected @module::@kernel, got 3
func.func @f(%n: index) {
  gpu.launch_func 3 blocks in (%n, %n, %n) threads in (%n, %n, %n)
  func.return
}

// -----

// CHECK: expected a result of type f32, got i32
func.func @f(%v: f32, %n: i32) {
  %a, %b = "gpu.shuffle"(%v, %n, %n) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (i32, i1)
  func.return
}
