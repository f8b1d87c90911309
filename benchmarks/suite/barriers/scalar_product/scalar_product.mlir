!tile = memref<256xf32, #spmd.memory<local>>

spmd.kernel @scalar_product(%partial: memref<?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = spmd.local_alloc : !tile
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %vx = memref.load %x[%gid] : memref<?xf32>
  %vy = memref.load %y[%gid] : memref<?xf32>
  %v = arith.mulf %vx, %vy fastmath<fast> : f32
  memref.store %v, %s[%lid] : !tile
  spmd.barrier
  %start = arith.shrui %size, %c1 : index
  %end = scf.while (%half = %start) : (index) -> index {
    %more = arith.cmpi ugt, %half, %c0 : index
    scf.condition(%more) %half : index
  } do {
  ^bb0(%half: index):
    %low = arith.cmpi ult, %lid, %half : index
    scf.if %low {
      %other = arith.addi %lid, %half : index
      %a = memref.load %s[%lid] : !tile
      %b = memref.load %s[%other] : !tile
      %sum = arith.addf %a, %b fastmath<fast> : f32
      memref.store %sum, %s[%lid] : !tile
    }
    spmd.barrier
    %next = arith.shrui %half, %c1 : index
    scf.yield %next : index
  }
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {
    %group = spmd.group_id x
    %total = memref.load %s[%c0] : !tile
    memref.store %total, %partial[%group] : memref<?xf32>
  }
  spmd.return
}
