// Conditions and trips that only memory knows to be the same: each work-item loads
// them from an address of its own.
spmd.kernel @condition_from_memory(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %copy = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  memref.store %flag, %copy[%lid] : memref<256xi32, #spmd.memory<local>>
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %seen = memref.load %copy[%next] : memref<256xi32, #spmd.memory<local>>
  %odd = arith.trunci %seen : i32 to i1
  %s = scf.if %odd -> (i32) {
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %e = memref.load %own[%c1] : memref<3xi32>
    spmd.barrier
    memref.store %w, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    %t = arith.addi %w, %e : i32
    scf.yield %t : i32
  } else {
    scf.yield %v : i32
  }
  spmd.barrier
  %three = arith.constant 3 : i32
  %few = arith.andi %seen, %three : i32
  %trips = arith.index_cast %few : i32 to index
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %s) -> (i32) {
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %b = arith.addi %a, %w : i32
    spmd.barrier
    memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    memref.store %b, %own[%c1] : memref<3xi32>
    spmd.barrier
    scf.yield %b : i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
