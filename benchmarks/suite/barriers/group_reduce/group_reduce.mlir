// Sums of a group by a tree of barriers, `repeats` times: v <- v/2 + mean(v)/2.
spmd.kernel @group_reduce(%out: memref<?xf32>, %in: memref<?xf32>, %repeats32: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %half = arith.constant 0.5 : f32
  %share = arith.constant 0.001953125 : f32
  %repeats = arith.index_cast %repeats32 : i32 to index
  %s = spmd.local_alloc : memref<256xf32, #spmd.memory<local>>
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %start = memref.load %in[%gid] : memref<?xf32>
  %end = scf.for %r = %c0 to %repeats step %c1 iter_args(%v = %start) -> (f32) {
    memref.store %v, %s[%lid] : memref<256xf32, #spmd.memory<local>>
    spmd.barrier
    %last = scf.while (%size = %c128) : (index) -> index {
      %more = arith.cmpi ugt, %size, %c0 : index
      scf.condition(%more) %size : index
    } do {
    ^bb0(%size: index):
      %low = arith.cmpi ult, %lid, %size : index
      scf.if %low {
        %other = arith.addi %lid, %size : index
        %a = memref.load %s[%lid] : memref<256xf32, #spmd.memory<local>>
        %b = memref.load %s[%other] : memref<256xf32, #spmd.memory<local>>
        %c = arith.addf %a, %b fastmath<fast> : f32
        memref.store %c, %s[%lid] : memref<256xf32, #spmd.memory<local>>
      }
      spmd.barrier
      %next_size = arith.shrui %size, %c1 : index
      scf.yield %next_size : index
    }
    %sum = memref.load %s[%c0] : memref<256xf32, #spmd.memory<local>>
    spmd.barrier
    %half_v = arith.mulf %half, %v fastmath<fast> : f32
    %half_mean = arith.mulf %share, %sum fastmath<fast> : f32
    %next = arith.addf %half_v, %half_mean fastmath<fast> : f32
    scf.yield %next : f32
  }
  memref.store %end, %out[%gid] : memref<?xf32>
  spmd.return
}
