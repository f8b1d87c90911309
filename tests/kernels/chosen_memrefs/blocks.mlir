// Branches between blocks pass memrefs on, among them a private array and one in a global.
memref.global "private" constant @table : memref<4xi32> = dense<[3, 1, 4, 1]>
spmd.kernel @blocks(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %v, %zero : i32
  cf.cond_br %negative, ^table, ^own
^table:
  %t = memref.get_global @table : memref<4xi32>
  cf.br ^loop(%c0, %t : index, memref<4xi32>)
^own:
  %a = memref.alloca() : memref<4xi32>
  memref.store %v, %a[%c0] : memref<4xi32>
  memref.store %v, %a[%c2] : memref<4xi32>
  cf.br ^loop(%c0, %a : index, memref<4xi32>)
^loop(%i: index, %m: memref<4xi32>):
  spmd.barrier
  %more = arith.cmpi ult, %i, %n : index
  %next = arith.addi %i, %c1 : index
  cf.cond_br %more, ^loop(%next, %m : index, memref<4xi32>), ^end(%m : memref<4xi32>)
^end(%last: memref<4xi32>):
  %w = memref.load %last[%c2] : memref<4xi32>
  memref.store %w, %x[%gid] : memref<?xi32>
  spmd.return
}
