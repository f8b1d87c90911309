// 3:3: expected only values from outside that a kernel can get: expected index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, or a memref of one of these, got vector<4xf32>
func.func @main(%n: index, %v: vector<4xf32>, %x: memref<4xvector<4xf32>>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%ex = %n, %ey = %n, %ez = %n) {
    memref.store %v, %x[%tx] : memref<4xvector<4xf32>>
    gpu.terminator
  }
  func.return
}
