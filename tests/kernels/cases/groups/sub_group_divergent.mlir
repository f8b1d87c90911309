// Lanes that part, in branches and in loops of their own length, and meet again.
spmd.kernel @sub_group_divergent(%x: memref<?xi32>, %y: memref<?xi32>)
    attributes {sub_group_size = 16 : i64} {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %bit = arith.andi %v, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  %s = scf.if %odd -> (i32) {
    %a = spmd.reduce add %v across sub_group : i32
    scf.yield %a : i32
  } else {
    %a = spmd.scan inclusive xor %v across sub_group : i32
    scf.yield %a : i32
  }
  %low = arith.andi %v, %seven : i32
  %trips = arith.index_cast %low : i32 to index
  %r = scf.for %j = %c0 to %trips step %c1 iter_args(%t = %s) -> (i32) {
    %there = spmd.reduce add %one across sub_group : i32
    %vote = spmd.any %odd across sub_group
    %u = scf.if %vote -> (i32) {
      %w = arith.addi %t, %there : i32
      scf.yield %w : i32
    } else {
      scf.yield %t : i32
    }
    scf.yield %u : i32
  }
  %max = spmd.reduce maxui %r across sub_group : i32
  memref.store %r, %x[%i] : memref<?xi32>
  memref.store %max, %y[%i] : memref<?xi32>
  spmd.return
}
