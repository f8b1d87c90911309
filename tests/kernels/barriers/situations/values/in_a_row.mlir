// Barriers with nothing between them, or nothing that another work-item could see.
spmd.kernel @in_a_row(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %own = memref.alloca() : memref<3xi32>
  %lid = func.call @local() : () -> index
  %next = func.call @next() : () -> index
  %item = func.call @item() : () -> index
  %group = func.call @group() : () -> index
  %flag = memref.load %flags[%group] : memref<?xi32>
  %v = memref.load %x[%item] : memref<?xi32>
  %twice = arith.muli %v, %seven : i32
  memref.store %v, %own[%c0] : memref<3xi32>
  memref.store %twice, %own[%c1] : memref<3xi32>
  memref.store %flag, %own[%c2] : memref<3xi32>
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  spmd.barrier
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %s = arith.addi %w, %v : i32
  spmd.barrier
  memref.store %s, %own[%c1] : memref<3xi32>
  spmd.barrier
  memref.store %s, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  scf.for %i = %c0 to %c2 step %c1 {
    spmd.barrier
    spmd.barrier
  }
  %r = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
