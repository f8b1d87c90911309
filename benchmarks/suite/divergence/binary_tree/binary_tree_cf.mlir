// The same as binary_tree.mlir as a graph of blocks, left from two places.
spmd.kernel @search(%label: memref<?xf32>, %left: memref<?xi32>, %right: memref<?xi32>,
                    %q: memref<?xf32>, %out: memref<?xi32>)
    attributes {sub_group_size = 8 : i64, work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %elem = memref.load %q[%i] : memref<?xf32>
  %stack = memref.alloca() : memref<512xi32>
  memref.store %z, %stack[%c0] : memref<512xi32>
  cf.br ^h(%c1 : index)
^h(%top: index):
  %some = arith.cmpi sgt, %top, %c0 : index
  cf.cond_br %some, ^b, ^out(%m1 : i32)
^b:
  %t1 = arith.subi %top, %c1 : index
  %next = memref.load %stack[%t1] : memref<512xi32>
  %ni = arith.index_cast %next : i32 to index
  %lab = memref.load %label[%ni] : memref<?xf32>
  %l = memref.load %left[%ni] : memref<?xi32>
  %r = memref.load %right[%ni] : memref<?xi32>
  %hit = arith.cmpf oeq, %lab, %elem : f32
  cf.cond_br %hit, ^out(%next : i32), ^n
^n:
  %less = arith.cmpf olt, %elem, %lab : f32
  %anyl = spmd.any %less across sub_group
  %lpos = arith.cmpi sgt, %l, %z : i32
  %pl = arith.andi %anyl, %lpos : i1
  cf.cond_br %pl, ^pl, ^n2(%t1 : index)
^pl:
  memref.store %l, %stack[%t1] : memref<512xi32>
  %x = arith.addi %t1, %c1 : index
  cf.br ^n2(%x : index)
^n2(%ta: index):
  %more = arith.cmpf olt, %lab, %elem : f32
  %anyr = spmd.any %more across sub_group
  %rpos = arith.cmpi sgt, %r, %z : i32
  %pr = arith.andi %anyr, %rpos : i1
  cf.cond_br %pr, ^pr, ^h(%ta : index)
^pr:
  memref.store %r, %stack[%ta] : memref<512xi32>
  %x2 = arith.addi %ta, %c1 : index
  cf.br ^h(%x2 : index)
^out(%res: i32):
  memref.store %res, %out[%i] : memref<?xi32>
  spmd.return
}
