// 5:3: expected gpu.launch in a func.func
gpu.module @m {
  gpu.func @f(%n: index) kernel {
    
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%ex = %n, %ey = %n, %ez = %n) {
    gpu.terminator
  }
    gpu.return
  }
}
