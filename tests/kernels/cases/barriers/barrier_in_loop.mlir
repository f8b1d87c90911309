// A uniform loop with two barriers in its body: each iteration rotates the values.
spmd.kernel @barrier_in_loop(%iterations: index, %x: memref<?xi32>) {
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  %next = arith.addi %l, %c1 : index
  %other = arith.remui %next, %n : index
  %r = scf.for %j = %c0 to %iterations step %c1 iter_args(%a = %v) -> (i32) {
    memref.store %a, %tile[%l] : memref<64xi32, #spmd.memory<local>>
    spmd.barrier
    %b = memref.load %tile[%other] : memref<64xi32, #spmd.memory<local>>
    %j32 = arith.index_cast %j : index to i32
    %c = arith.addi %b, %j32 : i32
    spmd.barrier
    scf.yield %c : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
