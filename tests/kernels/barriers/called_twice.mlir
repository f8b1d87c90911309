// A function with barriers and local memory, called twice and in a loop.
func.func private @neighbour(%v: i32, %tile: memref<?xi32, #spmd.memory<local>>) -> i32 {
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %own = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  memref.store %v, %tile[%lid] : memref<?xi32, #spmd.memory<local>>
  memref.store %v, %own[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %lid, %c1 : index
  %wrapped = arith.remui %next, %size : index
  %a = memref.load %tile[%wrapped] : memref<?xi32, #spmd.memory<local>>
  %b = memref.load %own[%wrapped] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %s = arith.addi %a, %b : i32
  func.return %s : i32
}
spmd.kernel @called_twice(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %a = func.call @neighbour(%v, %tile) : (i32, memref<?xi32, #spmd.memory<local>>) -> i32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %a) -> (i32) {
    %b = func.call @neighbour(%acc, %tile) : (i32, memref<?xi32, #spmd.memory<local>>) -> i32
    scf.yield %b : i32
  }
  memref.store %r, %x[%gid] : memref<?xi32>
  spmd.return
}
