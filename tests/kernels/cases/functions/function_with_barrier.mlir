// A function with a barrier and local memory, called twice: two pieces of memory.
func.func private @from_the_right(%v: i32) -> i32 {
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  memref.store %v, %tile[%l] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %l, %c1 : index
  %other = arith.remui %next, %n : index
  %w = memref.load %tile[%other] : memref<64xi32, #spmd.memory<local>>
  func.return %w : i32
}
spmd.kernel @function_with_barrier(%x: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %a = func.call @from_the_right(%v) : (i32) -> i32
  %s = arith.addi %a, %v : i32
  %b = func.call @from_the_right(%s) : (i32) -> i32
  memref.store %b, %x[%i] : memref<?xi32>
  spmd.return
}
