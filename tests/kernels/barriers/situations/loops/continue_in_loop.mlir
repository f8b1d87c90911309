// Blocks: iterations that go on to the next one before they come to the barrier.
spmd.kernel @continue_in_loop(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %five = arith.constant 5 : i32
  cf.br ^head(%v, %one : i32, i32)
^head(%a: i32, %i: i32):
  %more = arith.cmpi slt, %i, %five : i32
  cf.cond_br %more, ^body, ^out
^body:
  %j = arith.addi %i, %one : i32
  %sum = arith.addi %i, %flag : i32
  %odd = arith.trunci %sum : i32 to i1
  %e = memref.load %own[%c2] : memref<3xi32>
  %b = arith.addi %a, %e : i32
  cf.cond_br %odd, ^head(%b, %j : i32, i32), ^exchange
^exchange:
  memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  memref.store %w, %own[%c2] : memref<3xi32>
  spmd.barrier
  %d = arith.xori %w, %b : i32
  cf.br ^head(%d, %j : i32, i32)
^out:
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %a, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
