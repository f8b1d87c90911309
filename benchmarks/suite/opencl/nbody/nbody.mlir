// One leap-frog step; 256 bodies at a time are staged in local memory.
!tile = memref<256xf32, #spmd.memory<local>>

spmd.kernel @nbody(
    %nx: memref<?xf32>, %ny: memref<?xf32>, %nz: memref<?xf32>,
    %nvx: memref<?xf32>, %nvy: memref<?xf32>, %nvz: memref<?xf32>,
    %px: memref<?xf32>, %py: memref<?xf32>, %pz: memref<?xf32>, %m: memref<?xf32>,
    %vx: memref<?xf32>, %vy: memref<?xf32>, %vz: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %dt = arith.constant 0.005 : f32
  %eps2 = arith.constant 0.01 : f32
  %sx = spmd.local_alloc : !tile
  %sy = spmd.local_alloc : !tile
  %sz = spmd.local_alloc : !tile
  %sm = spmd.local_alloc : !tile
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %x = memref.load %px[%i] : memref<?xf32>
  %y = memref.load %py[%i] : memref<?xf32>
  %z = memref.load %pz[%i] : memref<?xf32>
  %a:3 = scf.for %tile = %c0 to %n step %c256
      iter_args(%ax0 = %zero, %ay0 = %zero, %az0 = %zero) -> (f32, f32, f32) {
    %at = arith.addi %tile, %lid : index
    %xt = memref.load %px[%at] : memref<?xf32>
    memref.store %xt, %sx[%lid] : !tile
    %yt = memref.load %py[%at] : memref<?xf32>
    memref.store %yt, %sy[%lid] : !tile
    %zt = memref.load %pz[%at] : memref<?xf32>
    memref.store %zt, %sz[%lid] : !tile
    %mt = memref.load %m[%at] : memref<?xf32>
    memref.store %mt, %sm[%lid] : !tile
    spmd.barrier
    %b:3 = scf.for %j = %c0 to %c256 step %c1
        iter_args(%ax = %ax0, %ay = %ay0, %az = %az0) -> (f32, f32, f32) {
      %xj = memref.load %sx[%j] : !tile
      %yj = memref.load %sy[%j] : !tile
      %zj = memref.load %sz[%j] : !tile
      %dx = arith.subf %xj, %x fastmath<fast> : f32
      %dy = arith.subf %yj, %y fastmath<fast> : f32
      %dz = arith.subf %zj, %z fastmath<fast> : f32
      %dx2 = arith.mulf %dx, %dx fastmath<fast> : f32
      %dy2 = arith.mulf %dy, %dy fastmath<fast> : f32
      %dz2 = arith.mulf %dz, %dz fastmath<fast> : f32
      %d2 = arith.addf %dx2, %dy2 fastmath<fast> : f32
      %d3 = arith.addf %d2, %dz2 fastmath<fast> : f32
      %d4 = arith.addf %d3, %eps2 fastmath<fast> : f32
      %inv = math.rsqrt %d4 fastmath<fast> : f32
      %mj = memref.load %sm[%j] : !tile
      %s1 = arith.mulf %mj, %inv fastmath<fast> : f32
      %s2 = arith.mulf %s1, %inv fastmath<fast> : f32
      %s = arith.mulf %s2, %inv fastmath<fast> : f32
      %fx = arith.mulf %s, %dx fastmath<fast> : f32
      %fy = arith.mulf %s, %dy fastmath<fast> : f32
      %fz = arith.mulf %s, %dz fastmath<fast> : f32
      %ax1 = arith.addf %ax, %fx fastmath<fast> : f32
      %ay1 = arith.addf %ay, %fy fastmath<fast> : f32
      %az1 = arith.addf %az, %fz fastmath<fast> : f32
      scf.yield %ax1, %ay1, %az1 : f32, f32, f32
    }
    spmd.barrier
    scf.yield %b#0, %b#1, %b#2 : f32, f32, f32
  }
  %vx0 = memref.load %vx[%i] : memref<?xf32>
  %vy0 = memref.load %vy[%i] : memref<?xf32>
  %vz0 = memref.load %vz[%i] : memref<?xf32>
  %dvx = arith.mulf %dt, %a#0 fastmath<fast> : f32
  %dvy = arith.mulf %dt, %a#1 fastmath<fast> : f32
  %dvz = arith.mulf %dt, %a#2 fastmath<fast> : f32
  %ux = arith.addf %vx0, %dvx fastmath<fast> : f32
  %uy = arith.addf %vy0, %dvy fastmath<fast> : f32
  %uz = arith.addf %vz0, %dvz fastmath<fast> : f32
  memref.store %ux, %nvx[%i] : memref<?xf32>
  memref.store %uy, %nvy[%i] : memref<?xf32>
  memref.store %uz, %nvz[%i] : memref<?xf32>
  %sx1 = arith.mulf %dt, %ux fastmath<fast> : f32
  %sy1 = arith.mulf %dt, %uy fastmath<fast> : f32
  %sz1 = arith.mulf %dt, %uz fastmath<fast> : f32
  %x1 = arith.addf %x, %sx1 fastmath<fast> : f32
  %y1 = arith.addf %y, %sy1 fastmath<fast> : f32
  %z1 = arith.addf %z, %sz1 fastmath<fast> : f32
  memref.store %x1, %nx[%i] : memref<?xf32>
  memref.store %y1, %ny[%i] : memref<?xf32>
  memref.store %z1, %nz[%i] : memref<?xf32>
  spmd.return
}
