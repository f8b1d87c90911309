// The gravity that all bodies exert on each body. A group copies 256 bodies at a time
// into local memory, and each of its work-items adds up their pull on one body.
spmd.kernel @nbody(
    %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %mass: memref<?xf32>,
    %softening: f32, %ax: memref<?xf32>, %ay: memref<?xf32>, %az: memref<?xf32>)
    attributes {work_group_size = array<i64: 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %tile_x = spmd.local_alloc : memref<256xf32, #spmd.memory<local>>
  %tile_y = spmd.local_alloc : memref<256xf32, #spmd.memory<local>>
  %tile_z = spmd.local_alloc : memref<256xf32, #spmd.memory<local>>
  %tile_m = spmd.local_alloc : memref<256xf32, #spmd.memory<local>>
  %body = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %bodies = memref.dim %x, %c0 : memref<?xf32>
  %xi = memref.load %x[%body] : memref<?xf32>
  %yi = memref.load %y[%body] : memref<?xf32>
  %zi = memref.load %z[%body] : memref<?xf32>
  %sum:3 = scf.for %start = %c0 to %bodies step %c256
      iter_args(%px = %zero, %py = %zero, %pz = %zero) -> (f32, f32, f32) {
    %left = arith.subi %bodies, %start : index
    %count = arith.minui %left, %c256 : index
    scf.for %j = %lid to %count step %size {
      %other = arith.addi %start, %j : index
      %xo = memref.load %x[%other] : memref<?xf32>
      %yo = memref.load %y[%other] : memref<?xf32>
      %zo = memref.load %z[%other] : memref<?xf32>
      %mo = memref.load %mass[%other] : memref<?xf32>
      memref.store %xo, %tile_x[%j] : memref<256xf32, #spmd.memory<local>>
      memref.store %yo, %tile_y[%j] : memref<256xf32, #spmd.memory<local>>
      memref.store %zo, %tile_z[%j] : memref<256xf32, #spmd.memory<local>>
      memref.store %mo, %tile_m[%j] : memref<256xf32, #spmd.memory<local>>
    }
    spmd.barrier
    %q:3 = scf.for %j = %c0 to %count step %c1
        iter_args(%qx = %px, %qy = %py, %qz = %pz) -> (f32, f32, f32) {
      %xj = memref.load %tile_x[%j] : memref<256xf32, #spmd.memory<local>>
      %yj = memref.load %tile_y[%j] : memref<256xf32, #spmd.memory<local>>
      %zj = memref.load %tile_z[%j] : memref<256xf32, #spmd.memory<local>>
      %mj = memref.load %tile_m[%j] : memref<256xf32, #spmd.memory<local>>
      %dx = arith.subf %xj, %xi : f32
      %dy = arith.subf %yj, %yi : f32
      %dz = arith.subf %zj, %zi : f32
      // pull = m / (dx * dx + dy * dy + dz * dz + softening) ** 1.5
      %r0 = math.fma %dx, %dx, %softening : f32
      %r1 = math.fma %dy, %dy, %r0 : f32
      %r2 = math.fma %dz, %dz, %r1 : f32
      %r = math.sqrt %r2 : f32
      %r3 = arith.mulf %r2, %r : f32
      %pull = arith.divf %mj, %r3 : f32
      %nx = math.fma %pull, %dx, %qx : f32
      %ny = math.fma %pull, %dy, %qy : f32
      %nz = math.fma %pull, %dz, %qz : f32
      scf.yield %nx, %ny, %nz : f32, f32, f32
    }
    spmd.barrier
    scf.yield %q#0, %q#1, %q#2 : f32, f32, f32
  }
  memref.store %sum#0, %ax[%body] : memref<?xf32>
  memref.store %sum#1, %ay[%body] : memref<?xf32>
  memref.store %sum#2, %az[%body] : memref<?xf32>
  spmd.return
}
