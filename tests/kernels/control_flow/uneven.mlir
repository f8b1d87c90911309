// Work-items meet at one barrier, and go on for iterations of their own: only continuations can.
spmd.kernel @uneven(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %right = arith.addi %lid, %c1 : index
  %next = arith.remui %right, %size : index
  %iterations = arith.index_cast %small : i32 to index
  %trips = arith.addi %iterations, %c2 : index
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  cf.br ^head(%c0, %zero : index, i32)
^head(%k: index, %a: i32):
  %more = arith.cmpi slt, %k, %trips : index
  cf.cond_br %more, ^body, ^exit
^body:
  %early = arith.cmpi ult, %k, %c2 : index
  cf.cond_br %early, ^wait, ^on
^wait:
  spmd.barrier
  cf.br ^on
^on:
  %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  %odd = arith.trunci %w : i32 to i1
  %k2 = arith.addi %k, %c1 : index
  cf.cond_br %odd, ^head(%k2, %a : index, i32), ^add
^add:
  %b = arith.addi %a, %w : i32
  cf.br ^head(%k2, %b : index, i32)
^exit:
  memref.store %a, %y[%i] : memref<?xi32>
  spmd.return
}
