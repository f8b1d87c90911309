// Barriers at two depths of uniform loops.
spmd.kernel @barrier_in_nested_loops(%outer: index, %inner: index, %x: memref<?xi32>) {
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  %r = scf.for %j = %c0 to %outer step %c1 iter_args(%a = %v) -> (i32) {
    memref.store %a, %tile[%l] : memref<64xi32, #spmd.memory<local>>
    spmd.barrier
    %first = memref.load %tile[%c0] : memref<64xi32, #spmd.memory<local>>
    %d = scf.for %k = %c0 to %inner step %c1 iter_args(%b = %a) -> (i32) {
      %sum = arith.addi %l, %k : index
      %shifted = arith.addi %sum, %j : index
      %other = arith.remui %shifted, %n : index
      %c = memref.load %tile[%other] : memref<64xi32, #spmd.memory<local>>
      spmd.barrier
      %e = arith.addi %b, %c : i32
      memref.store %e, %tile[%l] : memref<64xi32, #spmd.memory<local>>
      spmd.barrier
      scf.yield %e : i32
    }
    spmd.barrier
    %f = arith.xori %d, %first : i32
    scf.yield %f : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
