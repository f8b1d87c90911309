// 6:14: expected at most 1048576 bytes of local memory in a work-group, got 1200000 with this allocation; use smaller tiles, and allocate in the kernel what calls of a function can share
// One storage for each call site: twice 600000 bytes.
func.func private @swap(%x: memref<?xi8>) {
  %l = spmd.local_id x
  %v = memref.load %x[%l] : memref<?xi8>
  %storage = spmd.local_alloc : memref<600000xi8, #spmd.memory<local>>
  memref.store %v, %storage[%l] : memref<600000xi8, #spmd.memory<local>>
  func.return
}
spmd.kernel @k(%x: memref<?xi8>) {
  func.call @swap(%x) : (memref<?xi8>) -> ()
  func.call @swap(%x) : (memref<?xi8>) -> ()
  spmd.return
}
