// Values from other lanes, where those lanes exist.
spmd.kernel @sub_group_shuffles(%x: memref<?xi32>, %y: memref<?xf64>)
    attributes {sub_group_size = 4 : i64} {
  %i = spmd.global_id x
  %lane = spmd.lane_id
  %size = spmd.sub_group_size
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  %f = memref.load %y[%i] : memref<?xf64>
  %turned = spmd.shuffle rotate %v, %c1 : i32
  %left = spmd.shuffle up %v, %c1 : i32
  %right = spmd.shuffle down %f, %c1 : f64
  %partner = spmd.shuffle xor %f, %c1 : f64
  %head = spmd.shuffle idx %v, %c0 : i32
  %first = arith.cmpi eq, %lane, %c0 : index
  %next = arith.addi %lane, %c1 : index
  %has_next = arith.cmpi ult, %next, %size : index
  %other = arith.xori %lane, %c1 : index
  %has_other = arith.cmpi ult, %other, %size : index
  %a = arith.select %first, %v, %left : i32
  %b = arith.select %has_next, %right, %f : f64
  %c = arith.select %has_other, %partner, %f : f64
  %d = arith.xori %turned, %a : i32
  %e = arith.subi %d, %head : i32
  %g = arith.subf %b, %c : f64
  memref.store %e, %x[%i] : memref<?xi32>
  memref.store %g, %y[%i] : memref<?xf64>
  spmd.return
}
