// Arrays of bits; the choice is one of `arith.select`, of what another choice gave.
spmd.kernel @flags(%x: memref<?xi1>, %y: memref<?xi1>, %z: memref<?xi1>, %flags: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %p = memref.load %flags[%gid] : memref<?xi1>
  %m = arith.select %p, %x, %y : memref<?xi1>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%now = %m) -> (memref<?xi1>) {
    %v = memref.load %now[%gid] : memref<?xi1>
    spmd.barrier
    memref.store %p, %now[%gid] : memref<?xi1>
    %then = arith.select %v, %z, %now : memref<?xi1>
    scf.yield %then : memref<?xi1>
  }
  %v = memref.load %r[%gid] : memref<?xi1>
  spmd.barrier
  memref.store %v, %x[%gid] : memref<?xi1>
  spmd.return
}
