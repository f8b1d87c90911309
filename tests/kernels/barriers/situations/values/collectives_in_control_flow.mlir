// Collectives of the group in a loop, in branches, and in iterations of one's own.
spmd.kernel @collectives_in_control_flow(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %own = memref.alloca() : memref<3xi32>
  %lid = func.call @local() : () -> index
  %next = func.call @next() : () -> index
  %item = func.call @item() : () -> index
  %group = func.call @group() : () -> index
  %flag = memref.load %flags[%group] : memref<?xi32>
  %v = memref.load %x[%item] : memref<?xi32>
  %twice = arith.muli %v, %seven : i32
  memref.store %v, %own[%c0] : memref<3xi32>
  memref.store %twice, %own[%c1] : memref<3xi32>
  memref.store %flag, %own[%c2] : memref<3xi32>
  %odd = arith.trunci %flag : i32 to i1
  %a = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %v) -> (i32) {
    %sum = spmd.reduce add %s across work_group : i32
    %upto = spmd.scan inclusive xor %s across work_group : i32
    %e = memref.load %own[%i] : memref<3xi32>
    %t = arith.addi %sum, %upto : i32
    %u = arith.xori %t, %e : i32
    memref.store %u, %own[%i] : memref<3xi32>
    scf.yield %u : i32
  }
  %b = scf.if %odd -> (i32) {
    %before = spmd.scan exclusive add %a across work_group : i32
    scf.yield %before : i32
  } else {
    memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    %most = spmd.reduce max %a across work_group : i32
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %s = arith.subi %most, %w : i32
    scf.yield %s : i32
  }
  %items = func.call @items() : () -> index
  %half = arith.shrui %items, %c1 : index
  %positive = arith.cmpi sgt, %b, %one : i32
  %r, %left = scf.while (%s = %b, %k = %flag) : (i32, i32) -> (i32, i32) {
    %mid = spmd.broadcast %s from %half across work_group : i32
    %t = arith.addi %s, %mid : i32
    %wanted = arith.cmpi sgt, %k, %one : i32
    %more = spmd.any %wanted across work_group
    %all = spmd.all %positive across work_group
    %bit = arith.extui %all : i1 to i32
    %u = arith.addi %t, %bit : i32
    scf.condition(%more) %u, %k : i32, i32
  } do {
  ^bb0(%s: i32, %k: i32):
    %less = arith.subi %k, %one : i32
    scf.yield %s, %less : i32, i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
