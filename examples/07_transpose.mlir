// out = a transposed, through a tile in local memory, so that both arrays are read and
// written along their rows: 32 columns of 256 rows become 32 rows. A row of the tile has
// one more element than it needs, which puts a column into different cache sets.
//
// Launch with global_size = (columns of a, ceil(rows of a / 8)).
spmd.kernel @transpose(%a: memref<?x?xf32>, %out: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 32, 32>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %tile = spmd.local_alloc : memref<256x33xf32, #spmd.memory<local>>
  %column = spmd.global_id x
  %gx = spmd.group_id x
  %gy = spmd.group_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %width = spmd.local_size x
  %sy = spmd.local_size y
  %left = arith.muli %gx, %c32 : index
  %top = arith.muli %gy, %c256 : index
  %rows = memref.dim %a, %c0 : memref<?x?xf32>
  %below = arith.subi %rows, %top : index
  %height = arith.minui %below, %c256 : index
  scf.for %r = %ly to %height step %sy {
    %row = arith.addi %top, %r : index
    %v = memref.load %a[%row, %column] : memref<?x?xf32>
    memref.store %v, %tile[%r, %lx] : memref<256x33xf32, #spmd.memory<local>>
  }
  spmd.barrier
  scf.for %c = %ly to %width step %sy {
    %out_row = arith.addi %left, %c : index
    scf.for %r = %lx to %height step %width {
      %v = memref.load %tile[%r, %c] : memref<256x33xf32, #spmd.memory<local>>
      %out_column = arith.addi %top, %r : index
      memref.store %v, %out[%out_row, %out_column] : memref<?x?xf32>
    }
  }
  spmd.return
}
