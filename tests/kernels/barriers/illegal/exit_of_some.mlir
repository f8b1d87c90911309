// Blocks: a loop that is left at different places.
spmd.kernel @exit_of_some(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  spmd.barrier
  %out = arith.cmpi eq, %i, %path : index
  cf.cond_br %out, ^end, ^more
^more:
  memref.store %one, %x[%item] : memref<?xi32>
  %some = spmd.any %out across work_group
  %next = arith.addi %i, %c1 : index
  cf.br ^loop(%next : index)
^end:
  spmd.return
}
