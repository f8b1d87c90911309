// A loop that is left to two places, with continue.
spmd.kernel @two_exits(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  cf.br ^head(%small, %zero : i32, i32)
^head(%k: i32, %sum: i32):
  %more = arith.cmpi sgt, %k, %zero : i32
  cf.cond_br %more, ^body, ^done
^body:
  %k2 = arith.subi %k, %one : i32
  %t = arith.addi %sum, %k : i32
  %skip = arith.trunci %k : i32 to i1
  cf.cond_br %skip, ^head(%k2, %sum : i32, i32), ^look
^look:
  %u = arith.xori %t, %v : i32
  %leave = arith.cmpi slt, %u, %seven : i32
  cf.cond_br %leave, ^broken, ^head(%k2, %t : i32, i32)
^broken:
  %z = arith.subi %u, %k : i32
  memref.store %z, %x[%i] : memref<?xi32>
  cf.br ^exit(%z : i32)
^done:
  cf.br ^exit(%sum : i32)
^exit(%r: i32):
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
