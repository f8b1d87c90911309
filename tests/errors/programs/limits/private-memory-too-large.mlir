// 3:8: expected at most 1073741824 bytes of private memory in a work-item, got 1073741832 with this allocation; pass an array as argument instead
func.func private @f() {
  %a = memref.alloca() : memref<134217729xf64>
  func.return
}
spmd.kernel @k() {
  func.call @f() : () -> ()
  spmd.return
}
