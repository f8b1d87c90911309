// Blocks with barriers: continue, a loop with two exits, and agreement by the barriers.
spmd.kernel @barriers(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %right = arith.addi %lid, %c1 : index
  %next = arith.remui %right, %size : index
  cf.br ^head(%zero, %v : i32, i32)
^head(%k: i32, %a: i32):
  %more = arith.cmpi slt, %k, %seven : i32
  cf.cond_br %more, ^body, ^exit(%a : i32)
^body:
  %k2 = arith.addi %k, %one : i32
  %skip = arith.trunci %k : i32 to i1
  cf.cond_br %skip, ^head(%k2, %a : i32, i32), ^exchange
^exchange:
  memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  %first = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %mine = arith.cmpi slt, %w, %a : i32
  cf.cond_br %mine, ^keep, ^take
^keep:
  %kept = arith.addi %a, %k : i32
  cf.br ^latch(%kept : i32)
^take:
  %taken = arith.muli %w, %seven : i32
  cf.br ^latch(%taken : i32)
^latch(%b: i32):
  %leave = arith.cmpi slt, %first, %zero : i32
  cf.cond_br %leave, ^early, ^head(%k2, %b : i32, i32)
^early:
  %c = arith.subi %b, %first : i32
  cf.br ^exit(%c : i32)
^exit(%r: i32):
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
