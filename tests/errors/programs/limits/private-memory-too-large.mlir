// 3:8: expected at most 32768 bytes of private memory in a work-item, got 32776 with this allocation; pass an array as argument instead
func.func private @f() {
  %a = memref.alloca() : memref<4097xf64>
  func.return
}
spmd.kernel @k() {
  func.call @f() : () -> ()
  spmd.return
}
