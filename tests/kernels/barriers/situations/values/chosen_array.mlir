// Which of two private arrays, and which of two in local memory, is used after a
// barrier, each work-item has chosen before it.
spmd.kernel @chosen_array(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
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
  %other = memref.alloca() : memref<3xi32>
  memref.store %one, %other[%c0] : memref<3xi32>
  memref.store %v, %other[%c1] : memref<3xi32>
  memref.store %seven, %other[%c2] : memref<3xi32>
  %copy = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  memref.store %twice, %copy[%lid] : memref<256xi32, #spmd.memory<local>>
  %negative = arith.cmpi slt, %v, %one : i32
  %mine = arith.select %negative, %own, %other : memref<3xi32>
  %shared = scf.if %negative -> (memref<256xi32, #spmd.memory<local>>) {
    scf.yield %tile : memref<256xi32, #spmd.memory<local>>
  } else {
    scf.yield %copy : memref<256xi32, #spmd.memory<local>>
  }
  spmd.barrier
  %w = memref.load %shared[%next] : memref<256xi32, #spmd.memory<local>>
  memref.store %w, %mine[%c1] : memref<3xi32>
  spmd.barrier
  %e = memref.load %mine[%c2] : memref<3xi32>
  %r = arith.addi %w, %e : i32
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
