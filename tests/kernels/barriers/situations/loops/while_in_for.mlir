// A while loop, with a barrier in each of its regions, in a for loop.
spmd.kernel @while_in_for(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v) -> (i32) {
    %b, %left = scf.while (%s = %a, %k = %i) : (i32, index) -> (i32, index) {
      memref.store %s, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %t = arith.addi %s, %w : i32
      %more = arith.cmpi ugt, %k, %c0 : index
      scf.condition(%more) %t, %k : i32, index
    } do {
    ^bb0(%s: i32, %k: index):
      %less = arith.subi %k, %c1 : index
      memref.store %s, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %w = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
      %e = memref.load %own[%k] : memref<3xi32>
      %t = arith.xori %w, %e : i32
      spmd.barrier
      scf.yield %t, %less : i32, index
    }
    memref.store %b, %own[%i] : memref<3xi32>
    scf.yield %b : i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
