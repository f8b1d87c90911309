// A tile is read, scaled by the largest of its row, and written transposed: three phases.
spmd.kernel @transpose(%x: memref<?x?xi32>, %y: memref<?x?xi32>) attributes {work_group_size = array<i64: 8, 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tile = spmd.local_alloc : memref<8x9xi32, #spmd.memory<local>>
  %largest = spmd.local_alloc : memref<8xi32, #spmd.memory<local>>
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %px = spmd.group_id x
  %py = spmd.group_id y
  %left = arith.muli %px, %c8 : index
  %top = arith.muli %py, %c8 : index
  %i = arith.addi %left, %lx : index
  %j = arith.addi %top, %ly : index
  %v = memref.load %x[%j, %i] : memref<?x?xi32>
  memref.store %v, %tile[%ly, %lx] : memref<8x9xi32, #spmd.memory<local>>
  spmd.barrier
  %is_first = arith.cmpi eq, %lx, %c0 : index
  scf.if %is_first {
    %start = memref.load %tile[%ly, %c0] : memref<8x9xi32, #spmd.memory<local>>
    %max = scf.for %k = %c1 to %c8 step %c1 iter_args(%max = %start) -> (i32) {
      %w = memref.load %tile[%ly, %k] : memref<8x9xi32, #spmd.memory<local>>
      %m = arith.maxsi %max, %w : i32
      scf.yield %m : i32
    }
    memref.store %max, %largest[%ly] : memref<8xi32, #spmd.memory<local>>
  }
  spmd.barrier
  %m = memref.load %largest[%ly] : memref<8xi32, #spmd.memory<local>>
  %own = memref.load %tile[%ly, %lx] : memref<8x9xi32, #spmd.memory<local>>
  %scaled = arith.subi %m, %own : i32
  memref.store %scaled, %tile[%ly, %lx] : memref<8x9xi32, #spmd.memory<local>>
  spmd.barrier
  %out_i = arith.addi %top, %lx : index
  %out_j = arith.addi %left, %ly : index
  %w = memref.load %tile[%lx, %ly] : memref<8x9xi32, #spmd.memory<local>>
  memref.store %w, %y[%out_j, %out_i] : memref<?x?xi32>
  spmd.return
}
