// A transpose through a padded tile in local memory.
spmd.kernel @transpose_tile(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  %tile = spmd.local_alloc : memref<8x9xf32, #spmd.memory<local>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %gx = spmd.group_id x
  %gy = spmd.group_id y
  %rows = memref.dim %a, %c0 : memref<?x?xf32>
  %columns = memref.dim %a, %c1 : memref<?x?xf32>
  %x0 = arith.muli %gx, %c8 : index
  %y0 = arith.muli %gy, %c8 : index
  %x = arith.addi %x0, %lx : index
  %y = arith.addi %y0, %ly : index
  %inx = arith.cmpi ult, %x, %columns : index
  %iny = arith.cmpi ult, %y, %rows : index
  %in = arith.andi %inx, %iny : i1
  scf.if %in {
    %v = memref.load %a[%y, %x] : memref<?x?xf32>
    memref.store %v, %tile[%ly, %lx] : memref<8x9xf32, #spmd.memory<local>>
  }
  spmd.barrier
  %tx = arith.addi %y0, %lx : index
  %ty = arith.addi %x0, %ly : index
  %outx = arith.cmpi ult, %tx, %rows : index
  %outy = arith.cmpi ult, %ty, %columns : index
  %out = arith.andi %outx, %outy : i1
  scf.if %out {
    %w = memref.load %tile[%lx, %ly] : memref<8x9xf32, #spmd.memory<local>>
    memref.store %w, %b[%ty, %tx] : memref<?x?xf32>
  }
  spmd.return
}
