// Blocks: a loop that a group leaves at its end or, after a barrier, in the middle.
spmd.kernel @loop_with_two_exits(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %four = arith.constant 4 : i32
  cf.br ^head(%v, %one : i32, i32)
^head(%a: i32, %i: i32):
  %more = arith.cmpi slt, %i, %four : i32
  cf.cond_br %more, ^body, ^end
^body:
  memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %e = memref.load %own[%c0] : memref<3xi32>
  %b = arith.addi %w, %e : i32
  memref.store %b, %own[%c0] : memref<3xi32>
  %enough = arith.cmpi eq, %i, %flag : i32
  %j = arith.addi %i, %one : i32
  cf.cond_br %enough, ^found(%b : i32), ^head(%b, %j : i32, i32)
^found(%f: i32):
  %g = arith.muli %f, %seven : i32
  cf.br ^out(%g : i32)
^end:
  memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %u = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
  cf.br ^out(%u : i32)
^out(%r: i32):
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
