// Forces in a plane, a tile of bodies at a time; a step in time at the end.
spmd.kernel @bodies(%tiles: index, %dt: f32, %x: memref<?xf32>, %y: memref<?xf32>, %vx: memref<?xf32>, %vy: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %soft = arith.constant 0.5 : f32
  %tx = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %ty = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %px = memref.load %x[%gid] : memref<?xf32>
  %py = memref.load %y[%gid] : memref<?xf32>
  %f:2 = scf.for %t = %c0 to %tiles step %c1 iter_args(%fx = %zero, %fy = %zero) -> (f32, f32) {
    %first = arith.muli %t, %c64 : index
    %i = arith.addi %first, %lid : index
    %ox = memref.load %x[%i] : memref<?xf32>
    %oy = memref.load %y[%i] : memref<?xf32>
    memref.store %ox, %tx[%lid] : memref<64xf32, #spmd.memory<local>>
    memref.store %oy, %ty[%lid] : memref<64xf32, #spmd.memory<local>>
    spmd.barrier
    %g:2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%gx = %fx, %gy = %fy) -> (f32, f32) {
      %bx = memref.load %tx[%k] : memref<64xf32, #spmd.memory<local>>
      %by = memref.load %ty[%k] : memref<64xf32, #spmd.memory<local>>
      %dx = arith.subf %bx, %px : f32
      %dy = arith.subf %by, %py : f32
      %xx = arith.mulf %dx, %dx : f32
      %yy = arith.mulf %dy, %dy : f32
      %rr = arith.addf %xx, %yy : f32
      %s = arith.addf %rr, %soft : f32
      %qx = arith.divf %dx, %s : f32
      %qy = arith.divf %dy, %s : f32
      %nx = arith.addf %gx, %qx : f32
      %ny = arith.addf %gy, %qy : f32
      scf.yield %nx, %ny : f32, f32
    }
    spmd.barrier
    scf.yield %g#0, %g#1 : f32, f32
  }
  %ax = arith.mulf %f#0, %dt : f32
  %ay = arith.mulf %f#1, %dt : f32
  %ox = memref.load %vx[%gid] : memref<?xf32>
  %oy = memref.load %vy[%gid] : memref<?xf32>
  %nx = arith.addf %ox, %ax : f32
  %ny = arith.addf %oy, %ay : f32
  memref.store %nx, %vx[%gid] : memref<?xf32>
  memref.store %ny, %vy[%gid] : memref<?xf32>
  spmd.return
}
