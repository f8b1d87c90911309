// Neighbours in each dimension by the ids themselves; values live across four barriers.
spmd.kernel @box(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %own = memref.alloca() : memref<3xi32>
  %lid = func.call @local() : () -> index
  %item = func.call @item() : () -> index
  %group = func.call @group() : () -> index
  %flag = memref.load %flags[%group] : memref<?xi32>
  %v = memref.load %x[%item] : memref<?xi32>
  %twice = arith.muli %v, %seven : i32
  memref.store %v, %own[%c0] : memref<3xi32>
  memref.store %twice, %own[%c1] : memref<3xi32>
  memref.store %flag, %own[%c2] : memref<3xi32>
  %x0 = spmd.local_id x
  %y0 = spmd.local_id y
  %z0 = spmd.local_id z
  %nx = spmd.local_size x
  %ny = spmd.local_size y
  %nz = spmd.local_size z
  %x1 = arith.addi %x0, %c1 : index
  %xn = arith.remui %x1, %nx : index
  %y1 = arith.addi %y0, %c1 : index
  %yn = arith.remui %y1, %ny : index
  %z1 = arith.addi %z0, %c1 : index
  %zn = arith.remui %z1, %nz : index
  %zrow = arith.muli %z0, %ny : index
  %yz = arith.addi %zrow, %y0 : index
  %line = arith.muli %yz, %nx : index
  %right = arith.addi %line, %xn : index
  %yzn = arith.addi %zrow, %yn : index
  %lower_line = arith.muli %yzn, %nx : index
  %lower = arith.addi %lower_line, %x0 : index
  %znrow = arith.muli %zn, %ny : index
  %ynz = arith.addi %znrow, %y0 : index
  %after_line = arith.muli %ynz, %nx : index
  %after = arith.addi %after_line, %x0 : index
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %a = memref.load %tile[%right] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %b = arith.muli %a, %seven : i32
  memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %d = memref.load %tile[%lower] : memref<256xi32, #spmd.memory<local>>
  %e = memref.load %tile[%after] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %f = arith.subi %d, %e : i32
  %r = arith.addi %f, %a : i32
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
