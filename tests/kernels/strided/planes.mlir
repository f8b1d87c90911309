// A branch with barriers decides between two places in a plane.
spmd.kernel @planes(%flags: memref<?xi1>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %tile = spmd.local_alloc : memref<4096xi32, #spmd.memory<local>>
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %width = spmd.global_size x
  %row = arith.muli %gy, %width : index
  %g = arith.addi %row, %gx : index
  %flag = memref.load %flags[%c0] : memref<?xi1>
  %v = memref.load %x[%g] : memref<?xi32>
  %lrow = arith.muli %ly, %c16 : index
  %place = arith.addi %lrow, %lx : index
  %twice = arith.muli %place, %c2 : index
  %at = scf.if %flag -> (index) {
    memref.store %v, %tile[%place] : memref<4096xi32, #spmd.memory<local>>
    spmd.barrier
    %m = arith.addi %twice, %c1 : index
    scf.yield %m : index
  } else {
    memref.store %v, %tile[%twice] : memref<4096xi32, #spmd.memory<local>>
    spmd.barrier
    scf.yield %twice : index
  }
  %i = arith.index_cast %at : index to i32
  %w = memref.load %tile[%c0] : memref<4096xi32, #spmd.memory<local>>
  %s = arith.addi %w, %i : i32
  memref.store %s, %x[%g] : memref<?xi32>
  spmd.return
}
