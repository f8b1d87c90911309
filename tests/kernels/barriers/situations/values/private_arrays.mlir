// Private arrays across barriers: at indices that differ, as a view, filled in a loop.
spmd.kernel @private_arrays(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
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
  %grid = memref.alloca() : memref<2x3xi32>
  %row = memref.subview %grid[1, 0] [1, 3] [1, 1] : memref<2x3xi32> to memref<3xi32, strided<[1], offset: 3>>
  scf.for %i = %c0 to %c3 step %c1 {
    %n = arith.index_cast %i : index to i32
    %w = arith.muli %v, %n : i32
    memref.store %w, %own[%i] : memref<3xi32>
    memref.store %n, %grid[%c0, %i] : memref<2x3xi32>
    memref.store %w, %row[%i] : memref<3xi32, strided<[1], offset: 3>>
  }
  %mine = arith.remui %lid, %c3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v) -> (i32) {
    memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %e = memref.load %own[%mine] : memref<3xi32>
    %f = memref.load %row[%i] : memref<3xi32, strided<[1], offset: 3>>
    %g = memref.load %grid[%c0, %mine] : memref<2x3xi32>
    %s = arith.addi %w, %e : i32
    %t = arith.xori %s, %f : i32
    %u = arith.addi %t, %g : i32
    memref.store %u, %own[%mine] : memref<3xi32>
    memref.store %t, %row[%mine] : memref<3xi32, strided<[1], offset: 3>>
    spmd.barrier
    scf.yield %u : i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
