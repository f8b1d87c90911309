// 3:3: expected the name @f to be free for the kernel of gpu.launch
func.func @f(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%ex = %n, %ey = %n, %ez = %n) function(@f) {
    gpu.terminator
  }
  func.return
}
