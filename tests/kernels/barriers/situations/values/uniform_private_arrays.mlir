// What a private array has is the same in all work-items, and goes on after a barrier.
spmd.kernel @uniform_private_arrays(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %two = arith.constant 2 : i32
  %low = arith.remui %flag, %two : i32
  %k = arith.index_cast %low : i32 to index
  %same = memref.alloca() : memref<2xi32>
  memref.store %flag, %same[%c0] : memref<2xi32>
  memref.store %seven, %same[%c1] : memref<2xi32>
  %e = memref.load %same[%k] : memref<2xi32>
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  %r = arith.muli %w, %e : i32
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
