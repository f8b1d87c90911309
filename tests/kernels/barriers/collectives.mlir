// Every work-group collective, on loaded, rematerialized and uniform values, in a loop.
spmd.kernel @collectives(%x: memref<?xi32>, %p: memref<?xi1>, %out: memref<?x9xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %three = arith.constant 3 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  %b = memref.load %p[%gid] : memref<?xi1>
  %sum = spmd.reduce add %v across work_group : i32
  memref.store %sum, %out[%gid, %c0] : memref<?x9xi32>
  %lid32 = arith.index_cast %lid : index to i32
  %sq = arith.muli %lid32, %lid32 : i32
  %max = spmd.reduce max %sq across work_group : i32
  memref.store %max, %out[%gid, %c1] : memref<?x9xi32>
  %threes = spmd.reduce add %three across work_group : i32
  memref.store %threes, %out[%gid, %c2] : memref<?x9xi32>
  %upto = spmd.scan inclusive add %v across work_group : i32
  memref.store %upto, %out[%gid, %c3] : memref<?x9xi32>
  %before = spmd.scan exclusive xor %upto across work_group : i32
  memref.store %before, %out[%gid, %c4] : memref<?x9xi32>
  %any = spmd.any %b across work_group
  %all = spmd.all %b across work_group
  %first = memref.load %p[%c0] : memref<?xi1>
  %same = spmd.all %first across work_group
  %any32 = arith.extui %any : i1 to i32
  %all32 = arith.extui %all : i1 to i32
  %same32 = arith.extui %same : i1 to i32
  %two = arith.muli %any32, %three : i32
  %bits = arith.addi %two, %all32 : i32
  %bits2 = arith.addi %bits, %same32 : i32
  memref.store %bits2, %out[%gid, %c5] : memref<?x9xi32>
  %half = arith.divui %size, %c2 : index
  %mid = spmd.broadcast %before from %half across work_group : i32
  memref.store %mid, %out[%gid, %c6] : memref<?x9xi32>
  %total = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %v) -> (i32) {
    %s = spmd.scan inclusive minui %t across work_group : i32
    %r = spmd.reduce xor %s across work_group : i32
    %u = arith.addi %t, %r : i32
    %w = arith.addi %u, %s : i32
    scf.yield %w : i32
  }
  memref.store %total, %out[%gid, %c7] : memref<?x9xi32>
  %cast = spmd.broadcast %three from %c0 across work_group : i32
  %odd = arith.cmpi sgt, %sum, %three : i32
  %last = scf.if %odd -> (i32) {
    %m = spmd.reduce min %v across work_group : i32
    scf.yield %m : i32
  } else {
    %m = spmd.scan exclusive min %v across work_group : i32
    scf.yield %m : i32
  }
  %o = arith.addi %last, %cast : i32
  memref.store %o, %out[%gid, %c8] : memref<?x9xi32>
  spmd.return
}
