// The structured form of an early return: everything else is in an if.
spmd.kernel @early_end(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  scf.if %odd {
    memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    memref.store %w, %own[%c2] : memref<3xi32>
    spmd.barrier
    memref.store %w, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %u = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %e = memref.load %own[%c2] : memref<3xi32>
    %s = arith.addi %u, %e : i32
    %t = arith.muli %s, %v : i32
    memref.store %t, %x[%item] : memref<?xi32>
  }
  spmd.return
}
