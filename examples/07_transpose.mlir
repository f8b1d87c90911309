// out = a transposed, through a tile in local memory, so that both arrays are read and
// written along their rows. The tile has one more column than it needs, which puts the
// elements of a column into different cache sets.
//
// Launch with global_size = (columns of a, ceil(rows of a / 8)).
spmd.kernel @transpose(%a: memref<?x?xf32>, %out: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 64, 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tile = spmd.local_alloc : memref<64x65xf32, #spmd.memory<local>>
  %gx = spmd.group_id x
  %gy = spmd.group_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  %rows = memref.dim %a, %c0 : memref<?x?xf32>
  %columns = memref.dim %a, %c1 : memref<?x?xf32>
  %top = arith.muli %gy, %c64 : index
  %left = arith.muli %gx, %c64 : index
  %rows_left = arith.subi %rows, %top : index
  %columns_left = arith.subi %columns, %left : index
  %height = arith.minui %rows_left, %c64 : index
  %width = arith.minui %columns_left, %c64 : index
  scf.for %r = %ly to %height step %sy {
    %row = arith.addi %top, %r : index
    %column = arith.addi %left, %lx : index
    %v = memref.load %a[%row, %column] : memref<?x?xf32>
    memref.store %v, %tile[%r, %lx] : memref<64x65xf32, #spmd.memory<local>>
  }
  spmd.barrier
  scf.for %c = %ly to %width step %sy {
    scf.for %r = %lx to %height step %sx {
      %v = memref.load %tile[%r, %c] : memref<64x65xf32, #spmd.memory<local>>
      %out_row = arith.addi %left, %c : index
      %out_column = arith.addi %top, %r : index
      memref.store %v, %out[%out_row, %out_column] : memref<?x?xf32>
    }
  }
  spmd.return
}
