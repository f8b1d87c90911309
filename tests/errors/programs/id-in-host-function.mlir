// 6:8: expected spmd.global_id in a kernel, or in a function that only kernels call, got it in @first, which the host runs; launch a kernel that does it
spmd.kernel @k(%x: memref<?xindex>) {
  spmd.return
}
func.func private @first(%x: memref<?xindex>) {
  %i = spmd.global_id x
  memref.store %i, %x[%i] : memref<?xindex>
  func.return
}
func.func @host(%x: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  func.call @first(%x) : (memref<?xindex>) -> ()
  spmd.launch @k global(%c1) of(%c1) (%x) : memref<?xindex>
  func.return
}
