// Early returns, before a loop and in it.
spmd.kernel @return_in_loop(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  %none = arith.cmpi eq, %small, %zero : i32
  cf.cond_br %none, ^out, ^start
^start:
  cf.br ^head(%v, %zero : i32, i32)
^head(%a: i32, %n: i32):
  %stop = arith.cmpi eq, %n, %small : i32
  cf.cond_br %stop, ^found(%a : i32), ^body
^body:
  %b = arith.muli %a, %seven : i32
  %c = arith.addi %b, %one : i32
  %negative = arith.cmpi slt, %c, %zero : i32
  %n2 = arith.addi %n, %one : i32
  cf.cond_br %negative, ^hurry, ^head(%c, %n2 : i32, i32)
^hurry:
  %odd = arith.trunci %c : i32 to i1
  cf.cond_br %odd, ^out, ^head(%b, %n2 : i32, i32)
^found(%r: i32):
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
^out:
  spmd.return
}
