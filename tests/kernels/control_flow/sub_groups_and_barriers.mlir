// Sub-group operations on both sides of barriers in blocks.
spmd.kernel @sub_groups_and_barriers(%x: memref<?xi32>, %y: memref<?xi32>) attributes {sub_group_size = 8 : i64} {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %lid = spmd.local_id x
  cf.br ^head(%c0, %v : index, i32)
^head(%k: index, %a: i32):
  %more = arith.cmpi slt, %k, %c3 : index
  cf.cond_br %more, ^body, ^exit
^body:
  %sum = spmd.reduce add %a across sub_group : i32
  memref.store %sum, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %less = arith.cmpi slt, %a, %w : i32
  %k2 = arith.addi %k, %c1 : index
  cf.cond_br %less, ^less, ^head(%k2, %sum : index, i32)
^less:
  %upto = spmd.scan inclusive add %a across sub_group : i32
  %b = arith.addi %upto, %w : i32
  cf.br ^head(%k2, %b : index, i32)
^exit:
  memref.store %a, %y[%i] : memref<?xi32>
  spmd.return
}
