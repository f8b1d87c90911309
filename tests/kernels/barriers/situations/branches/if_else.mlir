// Barriers in both branches, and in an if without an else within one of them.
spmd.kernel @if_else(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %odd = arith.trunci %flag : i32 to i1
  %low = arith.cmpi slt, %flag, %seven : i32
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  %r = scf.if %odd -> (i32) {
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %e = memref.load %own[%c1] : memref<3xi32>
    %s = arith.addi %w, %e : i32
    scf.if %low {
      spmd.barrier
      memref.store %s, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      memref.store %s, %own[%c0] : memref<3xi32>
      spmd.barrier
    }
    %u = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
    %t = arith.xori %s, %u : i32
    scf.yield %t : i32
  } else {
    %s = arith.addi %v, %one : i32
    memref.store %s, %own[%c1] : memref<3xi32>
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %t = arith.muli %s, %w : i32
    scf.yield %t : i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
