// Conditions that the analysis cannot prove uniform, but that all work-items agree on,
// because each path leads to a barrier of its own.
spmd.kernel @agreed(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  // The same value in all work-items, written by each: a varying load for the analysis.
  %own = memref.alloca() : memref<4xi32>
  %f = memref.load %flags[%group] : memref<?xi32>
  %k = arith.remui %lid, %c4 : index
  memref.store %f, %own[%k] : memref<4xi32>
  %flag = memref.load %own[%k] : memref<4xi32>
  %odd = arith.trunci %flag : i32 to i1
  %next = arith.addi %lid, %c1 : index
  %wrapped = arith.remui %next, %size : index
  %r = scf.if %odd -> (i32) {
    spmd.barrier
    %w = memref.load %tile[%wrapped] : memref<256xi32, #spmd.memory<local>>
    scf.yield %w : i32
  } else {
    scf.yield %v : i32
  }
  spmd.barrier
  memref.store %r, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  // A trip count, and one with bounds that differ.
  %low = arith.andi %flag, %three : i32
  %n = arith.index_cast %low : i32 to index
  %some = arith.andi %v, %three : i32
  %lower = arith.index_cast %some : i32 to index
  %upper = arith.addi %lower, %n : index
  %s = scf.for %i = %lower to %upper step %c1 iter_args(%t = %r) -> (i32) {
    %at = arith.remui %i, %size : index
    %w = memref.load %tile[%at] : memref<256xi32, #spmd.memory<local>>
    %u = arith.addi %t, %w : i32
    spmd.barrier
    scf.yield %u : i32
  }
  %z, %last = scf.while (%a = %s, %left = %low) : (i32, i32) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    %more = arith.cmpi ne, %left, %zero : i32
    scf.condition(%more) %a, %left : i32, i32
  } do {
  ^bb0(%a: i32, %left: i32):
    spmd.barrier
    memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %w = memref.load %tile[%wrapped] : memref<256xi32, #spmd.memory<local>>
    %b = arith.xori %a, %w : i32
    %less = arith.subi %left, %one : i32
    scf.yield %b, %less : i32, i32
  }
  // What such a loop counts is the same in all work-items, inside and after it.
  %zero = arith.constant 0 : i32
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%q = %zero) -> (i32) {
    spmd.barrier
    %q2 = arith.addi %q, %three : i32
    scf.yield %q2 : i32
  }
  %even = arith.cmpi eq, %flag, %f : i32
  %pick = scf.if %even -> (i32) {
    spmd.barrier
    scf.yield %count : i32
  } else {
    scf.yield %three : i32
  }
  %y = arith.addi %z, %count : i32
  %o = arith.addi %y, %pick : i32
  memref.store %o, %x[%gid] : memref<?xi32>
  spmd.return
}
