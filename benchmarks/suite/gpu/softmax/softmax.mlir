// One row for each work-group: its maximum and its sum by trees in local memory.
!array = memref<?xf32>
!tile = memref<256xf32, #spmd.memory<local>>

spmd.kernel @softmax(%out: !array, %x: !array, %columns: index) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -3.4028235e+38 : f32
  %s = spmd.local_alloc : !tile
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %row = arith.muli %group, %columns : index
  %mine = scf.for %i = %lid to %columns step %c256 iter_args(%h = %lowest) -> (f32) {
    %at = arith.addi %row, %i : index
    %v = memref.load %x[%at] : !array
    %next = arith.maxnumf %h, %v fastmath<nnan,nsz> : f32
    scf.yield %next : f32
  }
  memref.store %mine, %s[%lid] : !tile
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %end = scf.while (%width = %c128) : (index) -> index {
    %more = arith.cmpi ugt, %width, %c0 : index
    scf.condition(%more) %width : index
  } do {
  ^bb0(%width: index):
    spmd.barrier
    %low = arith.cmpi ult, %lid, %width : index
    scf.if %low {
      %other = arith.addi %lid, %width : index
      %a = memref.load %s[%lid] : !tile
      %b = memref.load %s[%other] : !tile
      %c = arith.maxnumf %a, %b fastmath<nnan,nsz> : f32
      memref.store %c, %s[%lid] : !tile
    }
    %narrower = arith.shrui %width, %c1 : index
    scf.yield %narrower : index
  }
  spmd.barrier
  %highest = memref.load %s[%c0] : !tile
  spmd.barrier
  %sum = scf.for %i = %lid to %columns step %c256 iter_args(%t = %zero) -> (f32) {
    %at = arith.addi %row, %i : index
    %v = memref.load %x[%at] : !array
    %below = arith.subf %v, %highest fastmath<fast> : f32
    %e = math.exp %below fastmath<fast> : f32
    memref.store %e, %out[%at] : !array
    %next = arith.addf %t, %e fastmath<fast> : f32
    scf.yield %next : f32
  }
  memref.store %sum, %s[%lid] : !tile
  %end2 = scf.while (%width = %c128) : (index) -> index {
    %more = arith.cmpi ugt, %width, %c0 : index
    scf.condition(%more) %width : index
  } do {
  ^bb0(%width: index):
    spmd.barrier
    %low = arith.cmpi ult, %lid, %width : index
    scf.if %low {
      %other = arith.addi %lid, %width : index
      %a = memref.load %s[%lid] : !tile
      %b = memref.load %s[%other] : !tile
      %c = arith.addf %a, %b fastmath<fast> : f32
      memref.store %c, %s[%lid] : !tile
    }
    %narrower = arith.shrui %width, %c1 : index
    scf.yield %narrower : index
  }
  spmd.barrier
  %total = memref.load %s[%c0] : !tile
  %share = arith.divf %one, %total fastmath<fast> : f32
  scf.for %i = %lid to %columns step %c256 {
    %at = arith.addi %row, %i : index
    %e = memref.load %out[%at] : !array
    %v = arith.mulf %e, %share fastmath<fast> : f32
    memref.store %v, %out[%at] : !array
  }
  spmd.return
}
