// Five points in a tile with a halo, several times over: two tiles in turn.
spmd.kernel @stencil(%n: index, %x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {work_group_size = array<i64: 8, 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %quarter = arith.constant 0.25 : f32
  %tile = spmd.local_alloc : memref<2x10x10xf32, #spmd.memory<local>>
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %i = arith.addi %lx, %c1 : index
  %j = arith.addi %ly, %c1 : index
  %v = memref.load %x[%gy, %gx] : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %linear8 = arith.muli %ly, %c2 : index
  // The border of both tiles is zero.
  scf.for %t = %c0 to %c2 step %c1 {
    memref.store %zero, %tile[%t, %j, %c0] : memref<2x10x10xf32, #spmd.memory<local>>
    memref.store %zero, %tile[%t, %c0, %i] : memref<2x10x10xf32, #spmd.memory<local>>
    %c9 = arith.constant 9 : index
    memref.store %zero, %tile[%t, %j, %c9] : memref<2x10x10xf32, #spmd.memory<local>>
    memref.store %zero, %tile[%t, %c9, %i] : memref<2x10x10xf32, #spmd.memory<local>>
  }
  memref.store %v, %tile[%c0, %j, %i] : memref<2x10x10xf32, #spmd.memory<local>>
  spmd.barrier
  scf.for %k = %c0 to %n step %c1 {
    %from = arith.remui %k, %c2 : index
    %to = arith.subi %c1, %from : index
    %left = arith.subi %i, %c1 : index
    %right = arith.addi %i, %c1 : index
    %up = arith.subi %j, %c1 : index
    %down = arith.addi %j, %c1 : index
    %a = memref.load %tile[%from, %j, %left] : memref<2x10x10xf32, #spmd.memory<local>>
    %b = memref.load %tile[%from, %j, %right] : memref<2x10x10xf32, #spmd.memory<local>>
    %c = memref.load %tile[%from, %up, %i] : memref<2x10x10xf32, #spmd.memory<local>>
    %d = memref.load %tile[%from, %down, %i] : memref<2x10x10xf32, #spmd.memory<local>>
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %sum = arith.addf %ab, %cd : f32
    %mean = arith.mulf %sum, %quarter : f32
    memref.store %mean, %tile[%to, %j, %i] : memref<2x10x10xf32, #spmd.memory<local>>
    spmd.barrier
  }
  %last = arith.remui %n, %c2 : index
  %w = memref.load %tile[%last, %j, %i] : memref<2x10x10xf32, #spmd.memory<local>>
  memref.store %w, %y[%gy, %gx] : memref<?x?xf32>
  spmd.return
}
