// Two dimensions: a padded tile is transposed; the result crosses two more barriers.
spmd.kernel @planes(%w: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %tile = spmd.local_alloc : memref<33x33xi32, #spmd.memory<local>>
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  %row = arith.muli %gy, %w : index
  %at = arith.addi %row, %gx : index
  %v = memref.load %x[%at] : memref<?xi32>
  memref.store %v, %tile[%ly, %lx] : memref<33x33xi32, #spmd.memory<local>>
  spmd.barrier
  %mx = arith.remui %ly, %sx : index
  %my = arith.remui %lx, %sy : index
  %t = memref.load %tile[%my, %mx] : memref<33x33xi32, #spmd.memory<local>>
  spmd.barrier
  memref.store %t, %tile[%ly, %lx] : memref<33x33xi32, #spmd.memory<local>>
  spmd.barrier
  %f = memref.load %tile[%c0, %c0] : memref<33x33xi32, #spmd.memory<local>>
  %s = arith.addi %t, %v : i32
  %s2 = arith.addi %s, %f : i32
  memref.store %s2, %y[%at] : memref<?xi32>
  spmd.return
}
