// The first and the last thing that a kernel does is to wait.
spmd.kernel @first_and_last(%x: memref<?xi32>, %flags: memref<?xi32>) {
  spmd.barrier
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
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  %e = memref.load %own[%c1] : memref<3xi32>
  %s = arith.addi %w, %e : i32
  memref.store %s, %x[%item] : memref<?xi32>
  spmd.barrier
  spmd.return
}
