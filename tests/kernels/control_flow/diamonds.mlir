// Branches in branches, which join in one place each.
spmd.kernel @diamonds(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  %negative = arith.cmpi slt, %v, %zero : i32
  cf.cond_br %negative, ^below, ^above
^below:
  %odd = arith.trunci %v : i32 to i1
  cf.cond_br %odd, ^odd, ^inner(%small : i32)
^odd:
  memref.store %seven, %x[%i] : memref<?xi32>
  cf.br ^inner(%seven : i32)
^inner(%a: i32):
  %b = arith.addi %a, %v : i32
  cf.br ^join(%b : i32)
^above:
  cf.br ^join(%small : i32)
^join(%r: i32):
  %s = arith.muli %r, %seven : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
