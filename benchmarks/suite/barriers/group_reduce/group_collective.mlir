// The same as group_reduce.mlir with the collective of the group.
spmd.kernel @group_reduce(%out: memref<?xf32>, %in: memref<?xf32>, %repeats32: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %share = arith.constant 0.001953125 : f32
  %repeats = arith.index_cast %repeats32 : i32 to index
  %gid = spmd.global_id x
  %start = memref.load %in[%gid] : memref<?xf32>
  %end = scf.for %r = %c0 to %repeats step %c1 iter_args(%v = %start) -> (f32) {
    %sum = spmd.reduce add %v across work_group : f32
    %half_v = arith.mulf %half, %v fastmath<fast> : f32
    %half_mean = arith.mulf %share, %sum fastmath<fast> : f32
    %next = arith.addf %half_v, %half_mean fastmath<fast> : f32
    scf.yield %next : f32
  }
  memref.store %end, %out[%gid] : memref<?xf32>
  spmd.return
}
