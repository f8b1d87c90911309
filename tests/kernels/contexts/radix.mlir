// Sorts the keys of a group, a bit at a time: a scan of flags gives the new place of each.
spmd.kernel @radix(%bits: i32, %keys: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %flags = spmd.local_alloc : memref<64xindex, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %n = spmd.local_size x
  %last = arith.subi %n, %c1 : index
  %first = memref.load %keys[%gid] : memref<?xi32>
  %sorted = scf.for %bit = %zero to %bits step %one iter_args(%key = %first) -> (i32) : i32 {
    %shifted = arith.shrui %key, %bit : i32
    %low = arith.andi %shifted, %one : i32
    %is_zero = arith.cmpi eq, %low, %zero : i32
    %flag = arith.extui %is_zero : i1 to i32
    %count = arith.index_cast %flag : i32 to index
    memref.store %count, %flags[%lid] : memref<64xindex, #spmd.memory<local>>
    spmd.barrier
    %end = scf.while (%step = %c1) : (index) -> index {
      %more = arith.cmpi ult, %step, %n : index
      scf.condition(%more) %step : index
    } do {
    ^bb0(%step: index):
      %own = memref.load %flags[%lid] : memref<64xindex, #spmd.memory<local>>
      %has = arith.cmpi uge, %lid, %step : index
      %sum = scf.if %has -> (index) {
        %there = arith.subi %lid, %step : index
        %before = memref.load %flags[%there] : memref<64xindex, #spmd.memory<local>>
        %s = arith.addi %own, %before : index
        scf.yield %s : index
      } else {
        scf.yield %own : index
      }
      spmd.barrier
      memref.store %sum, %flags[%lid] : memref<64xindex, #spmd.memory<local>>
      spmd.barrier
      %twice = arith.shli %step, %c1 : index
      scf.yield %twice : index
    }
    %zeros = memref.load %flags[%last] : memref<64xindex, #spmd.memory<local>>
    %upto = memref.load %flags[%lid] : memref<64xindex, #spmd.memory<local>>
    %mine = arith.subi %upto, %count : index
    %ones = arith.subi %lid, %mine : index
    %after = arith.addi %zeros, %ones : index
    %place = arith.select %is_zero, %mine, %after : index
    memref.store %key, %tile[%place] : memref<64xi32, #spmd.memory<local>>
    spmd.barrier
    %new = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    spmd.barrier
    scf.yield %new : i32
  }
  memref.store %sorted, %keys[%gid] : memref<?xi32>
  spmd.return
}
