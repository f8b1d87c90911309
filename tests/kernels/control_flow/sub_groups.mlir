// Sub-group operations in a divergent loop, in a shared else, and where all meet.
spmd.kernel @sub_groups(%x: memref<?xi32>, %y: memref<?xi32>) attributes {sub_group_size = 8 : i64} {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  cf.br ^head(%small, %zero : i32, i32)
^head(%k: i32, %acc: i32):
  %sum = spmd.reduce add %k across sub_group : i32
  %acc2 = arith.addi %acc, %sum : i32
  %done = arith.cmpi eq, %k, %zero : i32
  cf.cond_br %done, ^a, ^b
^b:
  %odd = arith.trunci %k : i32 to i1
  %k2 = arith.subi %k, %one : i32
  cf.cond_br %odd, ^else, ^head(%k2, %acc2 : i32, i32)
^a:
  %negative = arith.cmpi slt, %v, %zero : i32
  cf.cond_br %negative, ^out(%acc2 : i32), ^else
^else:
  %m = spmd.reduce add %one across sub_group : i32
  %m2 = arith.addi %m, %v : i32
  cf.br ^out(%m2 : i32)
^out(%r: i32):
  %t = spmd.scan inclusive add %one across sub_group : i32
  %u = arith.addi %r, %t : i32
  memref.store %u, %y[%i] : memref<?xi32>
  spmd.return
}
