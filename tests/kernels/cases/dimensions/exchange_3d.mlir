// Work-items of a three-dimensional group exchange values across all dimensions.
spmd.kernel @exchange_3d(%a: memref<?x?x?xi32>) {
  %tile = spmd.local_alloc : memref<2x2x4xi32, #spmd.memory<local>>
  %c1 = arith.constant 1 : index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %lz = spmd.local_id z
  %nx = spmd.local_size x
  %ny = spmd.local_size y
  %nz = spmd.local_size z
  %v = memref.load %a[%z, %y, %x] : memref<?x?x?xi32>
  memref.store %v, %tile[%lz, %ly, %lx] : memref<2x2x4xi32, #spmd.memory<local>>
  spmd.barrier
  %ex = arith.subi %nx, %c1 : index
  %ey = arith.subi %ny, %c1 : index
  %ez = arith.subi %nz, %c1 : index
  %mx = arith.subi %ex, %lx : index
  %my = arith.subi %ey, %ly : index
  %mz = arith.subi %ez, %lz : index
  %w = memref.load %tile[%mz, %my, %mx] : memref<2x2x4xi32, #spmd.memory<local>>
  memref.store %w, %a[%z, %y, %x] : memref<?x?x?xi32>
  spmd.return
}
