// A stack that the sub-group shares holds the nodes that any of its lanes has to visit.
spmd.kernel @search(%label: memref<?xf32>, %left: memref<?xi32>, %right: memref<?xi32>,
                    %q: memref<?xf32>, %out: memref<?xi32>)
    attributes {sub_group_size = 8 : i64, work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %t = arith.constant true
  %elem = memref.load %q[%i] : memref<?xf32>
  %stack = memref.alloca() : memref<512xi32>
  memref.store %z, %stack[%c0] : memref<512xi32>
  %top, %res, %go = scf.while (%top = %c1, %res = %m1, %go = %t) : (index, i32, i1) -> (index, i32, i1) {
    %some = arith.cmpi sgt, %top, %c0 : index
    %more = arith.andi %some, %go : i1
    scf.condition(%more) %top, %res, %go : index, i32, i1
  } do {
  ^bb0(%top: index, %res: i32, %go: i1):
    %t1 = arith.subi %top, %c1 : index
    %next = memref.load %stack[%t1] : memref<512xi32>
    %ni = arith.index_cast %next : i32 to index
    %lab = memref.load %label[%ni] : memref<?xf32>
    %l = memref.load %left[%ni] : memref<?xi32>
    %r = memref.load %right[%ni] : memref<?xi32>
    %hit = arith.cmpf oeq, %lab, %elem : f32
    %top2, %res2, %go2 = scf.if %hit -> (index, i32, i1) {
      %f = arith.constant false
      scf.yield %t1, %next, %f : index, i32, i1
    } else {
      %less = arith.cmpf olt, %elem, %lab : f32
      %anyl = spmd.any %less across sub_group
      %lpos = arith.cmpi sgt, %l, %z : i32
      %pl = arith.andi %anyl, %lpos : i1
      %ta = scf.if %pl -> (index) {
        memref.store %l, %stack[%t1] : memref<512xi32>
        %x = arith.addi %t1, %c1 : index
        scf.yield %x : index
      } else {
        scf.yield %t1 : index
      }
      %more = arith.cmpf olt, %lab, %elem : f32
      %anyr = spmd.any %more across sub_group
      %rpos = arith.cmpi sgt, %r, %z : i32
      %pr = arith.andi %anyr, %rpos : i1
      %tb = scf.if %pr -> (index) {
        memref.store %r, %stack[%ta] : memref<512xi32>
        %x = arith.addi %ta, %c1 : index
        scf.yield %x : index
      } else {
        scf.yield %ta : index
      }
      scf.yield %tb, %res, %t : index, i32, i1
    }
    scf.yield %top2, %res2, %go2 : index, i32, i1
  }
  memref.store %res, %out[%i] : memref<?xi32>
  spmd.return
}
