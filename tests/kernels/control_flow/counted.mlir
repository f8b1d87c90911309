// A counted loop with private memory; its counter is seen after it.
spmd.kernel @counted(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = memref.alloca() : memref<2xi32>
  memref.store %v, %last[%c0] : memref<2xi32>
  memref.store %one, %last[%c1] : memref<2xi32>
  %n = arith.index_cast %small : i32 to index
  cf.br ^head(%c0 : index)
^head(%k: index):
  %more = arith.cmpi slt, %k, %n : index
  cf.cond_br %more, ^body, ^second(%n : index)
^body:
  %a = memref.load %last[%c0] : memref<2xi32>
  %b = memref.load %last[%c1] : memref<2xi32>
  %s = arith.addi %a, %b : i32
  memref.store %s, %last[%c1] : memref<2xi32>
  memref.store %b, %last[%c0] : memref<2xi32>
  %k2 = arith.addi %k, %c1 : index
  cf.br ^head(%k2 : index)
^second(%m: index):
  %go = arith.cmpi sgt, %m, %c0 : index
  cf.cond_br %go, ^down, ^exit
^down:
  %m2 = arith.subi %m, %c1 : index
  %odd = arith.index_cast %m2 : index to i32
  %bit = arith.trunci %odd : i32 to i1
  cf.cond_br %bit, ^exit, ^second(%m2 : index)
^exit:
  %r = memref.load %last[%c1] : memref<2xi32>
  %t = arith.index_cast %m : index to i32
  %u = arith.addi %r, %t : i32
  memref.store %u, %y[%i] : memref<?xi32>
  spmd.return
}
