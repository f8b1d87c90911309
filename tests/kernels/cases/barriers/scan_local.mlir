// An inclusive scan of each group in local memory, two buffers in turn.
spmd.kernel @scan_local(%x: memref<?xi32>) {
  %tiles = spmd.local_alloc : memref<2x64xi32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tiles[%c0, %l] : memref<2x64xi32, #spmd.memory<local>>
  spmd.barrier
  %s, %side = scf.while (%d = %c1, %from = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %d, %n : index
    scf.condition(%more) %d, %from : index, index
  } do {
  ^bb0(%d: index, %from: index):
    %to = arith.subi %c1, %from : index
    %mine = memref.load %tiles[%from, %l] : memref<2x64xi32, #spmd.memory<local>>
    %has = arith.cmpi uge, %l, %d : index
    %sum = scf.if %has -> (i32) {
      %j = arith.subi %l, %d : index
      %theirs = memref.load %tiles[%from, %j] : memref<2x64xi32, #spmd.memory<local>>
      %t = arith.addi %mine, %theirs : i32
      scf.yield %t : i32
    } else {
      scf.yield %mine : i32
    }
    memref.store %sum, %tiles[%to, %l] : memref<2x64xi32, #spmd.memory<local>>
    spmd.barrier
    %twice = arith.addi %d, %d : index
    scf.yield %twice, %to : index, index
  }
  %r = memref.load %tiles[%side, %l] : memref<2x64xi32, #spmd.memory<local>>
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
