// Sums up to each work-item, by doubling; the sum is carried from step to step.
spmd.kernel @scan(%x: memref<?xi32>, %sums: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %n = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %end:2 = scf.while (%step = %c1, %sum = %v) : (index, i32) -> (index, i32) {
    %more = arith.cmpi ult, %step, %n : index
    scf.condition(%more) %step, %sum : index, i32
  } do {
  ^bb0(%step: index, %sum: i32):
    %has = arith.cmpi uge, %lid, %step : index
    %new = scf.if %has -> (i32) {
      %there = arith.subi %lid, %step : index
      %w = memref.load %tile[%there] : memref<64xi32, #spmd.memory<local>>
      %s = arith.addi %sum, %w : i32
      scf.yield %s : i32
    } else {
      scf.yield %sum : i32
    }
    spmd.barrier
    memref.store %new, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    spmd.barrier
    %twice = arith.shli %step, %c1 : index
    scf.yield %twice, %new : index, i32
  }
  memref.store %end#1, %x[%gid] : memref<?xi32>
  %last = arith.subi %n, %c1 : index
  %is_last = arith.cmpi eq, %lid, %last : index
  scf.if %is_last {
    memref.store %end#1, %sums[%group] : memref<?xi32>
  }
  spmd.return
}
