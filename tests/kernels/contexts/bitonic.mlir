// Sorts 64 numbers per group: the lower of two work-items compares and exchanges.
spmd.kernel @bitonic(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %n = spmd.enqueued_local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %last = scf.while (%size = %c2) : (index) -> index {
    %more = arith.cmpi ule, %size, %n : index
    scf.condition(%more) %size : index
  } do {
  ^bb0(%size: index):
    %first = arith.shrui %size, %c1 : index
    %end = scf.while (%step = %first) : (index) -> index {
      %again = arith.cmpi ugt, %step, %c0 : index
      scf.condition(%again) %step : index
    } do {
    ^bb0(%step: index):
      %other = arith.xori %lid, %step : index
      %is_lower = arith.cmpi ult, %lid, %other : index
      scf.if %is_lower {
        %bit = arith.andi %lid, %size : index
        %up = arith.cmpi eq, %bit, %c0 : index
        %a = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
        %b = memref.load %tile[%other] : memref<64xi32, #spmd.memory<local>>
        %greater = arith.cmpi sgt, %a, %b : i32
        %swap = arith.cmpi eq, %greater, %up : i1
        scf.if %swap {
          memref.store %b, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
          memref.store %a, %tile[%other] : memref<64xi32, #spmd.memory<local>>
        }
      }
      spmd.barrier
      %half = arith.shrui %step, %c1 : index
      scf.yield %half : index
    }
    %twice = arith.shli %size, %c1 : index
    scf.yield %twice : index
  }
  %w = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  memref.store %w, %x[%gid] : memref<?xi32>
  spmd.return
}
