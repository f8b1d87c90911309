// A function of blocks, with an early return before its barrier, called twice.
func.func private @maybe_rotated(%v: i32, %now: i1) -> i32 {
  %mine = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %lid = func.call @local() : () -> index
  %next = func.call @next() : () -> index
  cf.cond_br %now, ^rotate, ^not
^not:
  func.return %v : i32
^rotate:
  memref.store %v, %mine[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %mine[%next] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %s = arith.addi %v, %w : i32
  func.return %s : i32
}
spmd.kernel @blocks_called_twice(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
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
  %a = func.call @maybe_rotated(%v, %odd) : (i32, i1) -> i32
  memref.store %a, %own[%c1] : memref<3xi32>
  %few = arith.cmpi slt, %flag, %seven : i32
  %r = func.call @maybe_rotated(%a, %few) : (i32, i1) -> i32
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
