// A function of several blocks with a barrier, called in a loop.
func.func private @exchange(%v: i32, %turn: i1, %tile: memref<?xi32, #spmd.memory<local>>) -> i32 {
  %c0 = arith.constant 0 : index
  %lid = spmd.local_id x
  cf.cond_br %turn, ^wait, ^go(%v : i32)
^wait:
  memref.store %v, %tile[%lid] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  %first = memref.load %tile[%c0] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  cf.br ^go(%first : i32)
^go(%w: i32):
  %s = arith.addi %v, %w : i32
  func.return %s : i32
}
spmd.kernel @blocks_in_function(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %v) -> (i32) {
    %n = arith.index_cast %i : index to i32
    %odd = arith.trunci %n : i32 to i1
    %b = func.call @exchange(%a, %odd, %tile) : (i32, i1, memref<?xi32, #spmd.memory<local>>) -> i32
    scf.yield %b : i32
  }
  memref.store %r, %x[%gid] : memref<?xi32>
  spmd.return
}
