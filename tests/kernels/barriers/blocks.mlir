// A body of several blocks, with an early return, and no barrier.
spmd.kernel @blocks(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %gid = spmd.global_id x
  %in = arith.cmpi ult, %gid, %n : index
  cf.cond_br %in, ^work, ^out
^work:
  %v = memref.load %x[%gid] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^loop(%v, %zero : i32, i32)
^loop(%a: i32, %k: i32):
  %more = arith.cmpi sgt, %a, %zero : i32
  %half = arith.shrui %a, %one : i32
  %k2 = arith.addi %k, %one : i32
  cf.cond_br %more, ^loop(%half, %k2 : i32, i32), ^done(%k2 : i32)
^done(%r: i32):
  memref.store %r, %x[%gid] : memref<?xi32>
  spmd.return
^out:
  spmd.return
}
