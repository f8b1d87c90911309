// a && (b || c) with a shared else.
spmd.kernel @short_circuit(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  %a = arith.cmpi slt, %v, %zero : i32
  cf.cond_br %a, ^b, ^else
^b:
  %b = arith.trunci %v : i32 to i1
  cf.cond_br %b, ^then, ^c
^c:
  %w = memref.load %x[%i] : memref<?xi32>
  %c = arith.cmpi slt, %small, %one : i32
  cf.cond_br %c, ^then, ^else
^then:
  memref.store %one, %y[%i] : memref<?xi32>
  cf.br ^join
^else:
  memref.store %seven, %y[%i] : memref<?xi32>
  cf.br ^join
^join:
  %old = memref.load %y[%i] : memref<?xi32>
  %s = arith.addi %old, %v : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
