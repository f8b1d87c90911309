// A kernel of many blocks: a loop with two exits, and a join.
spmd.kernel @blocks(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %fifteen = arith.constant 15 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %start = arith.andi %v, %fifteen : i32
  cf.br ^header(%start, %zero : i32, i32)
^header(%a: i32, %n: i32):
  %finished = arith.cmpi eq, %a, %zero : i32
  cf.cond_br %finished, ^exit(%n : i32), ^body
^body:
  %odd = arith.andi %a, %one : i32
  %is_odd = arith.cmpi ne, %odd, %zero : i32
  %big = arith.cmpi sgt, %n, %one : i32
  %leave = arith.andi %is_odd, %big : i1
  cf.cond_br %leave, ^early, ^latch
^latch:
  %half = arith.shrui %a, %one : i32
  %n1 = arith.addi %n, %one : i32
  cf.br ^header(%half, %n1 : i32, i32)
^early:
  memref.store %a, %x[%i] : memref<?xi32>
  %minus = arith.subi %zero, %n : i32
  cf.br ^exit(%minus : i32)
^exit(%r: i32):
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
