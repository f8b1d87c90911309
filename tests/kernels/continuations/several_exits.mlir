// Blocks: a loop with two exits, a barrier in it, continue, and an early return of groups.
spmd.kernel @several_exits(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  %flag = memref.load %flags[%group] : memref<?xi32>
  %skip = arith.cmpi eq, %flag, %one : i32
  cf.cond_br %skip, ^out, ^work
^work:
  %next = arith.addi %lid, %c1 : index
  %wrapped = arith.remui %next, %size : index
  cf.br ^head(%v, %zero : i32, i32)
^head(%a: i32, %k: i32):
  %more = arith.cmpi slt, %k, %seven : i32
  cf.cond_br %more, ^body, ^done(%a : i32)
^body:
  %k2 = arith.addi %k, %one : i32
  %odd = arith.andi %k, %one : i32
  %is_odd = arith.cmpi eq, %odd, %one : i32
  %b = arith.addi %a, %k : i32
  cf.cond_br %is_odd, ^head(%b, %k2 : i32, i32), ^exchange
^exchange:
  memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%wrapped] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %c = arith.addi %w, %b : i32
  %limit = arith.addi %flag, %two : i32
  %leave = arith.cmpi sgt, %k, %limit : i32
  cf.cond_br %leave, ^early(%c : i32), ^head(%c, %k2 : i32, i32)
^early(%e: i32):
  %d = arith.muli %e, %two : i32
  cf.br ^done(%d : i32)
^done(%r: i32):
  memref.store %r, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %m = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
  %s = arith.addi %m, %r : i32
  memref.store %s, %x[%gid] : memref<?xi32>
  spmd.return
^out:
  spmd.return
}
