// Blocks: whole groups return before the first barrier, others between two.
spmd.kernel @early_return(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %odd = arith.trunci %flag : i32 to i1
  cf.cond_br %odd, ^early, ^work
^early:
  spmd.return
^work:
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  memref.store %w, %own[%c1] : memref<3xi32>
  %few = arith.cmpi slt, %flag, %seven : i32
  cf.cond_br %few, ^later, ^rest
^later:
  %u = arith.addi %w, %v : i32
  memref.store %u, %x[%item] : memref<?xi32>
  spmd.return
^rest:
  spmd.barrier
  memref.store %w, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %r = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
