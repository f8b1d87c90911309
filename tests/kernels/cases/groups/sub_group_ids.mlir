// Lanes follow the linear local id, in a group of two dimensions and without a collective.
spmd.kernel @sub_group_ids(%out: memref<?xindex>) attributes {sub_group_size = 4 : i64} {
  %x = spmd.global_id x
  %y = spmd.global_id y
  %n = spmd.global_size x
  %row = arith.muli %y, %n : index
  %i = arith.addi %row, %x : index
  %lane = spmd.lane_id
  %number = spmd.sub_group_id
  %size = spmd.sub_group_size
  %c100 = arith.constant 100 : index
  %a = arith.muli %number, %c100 : index
  %b = arith.addi %a, %lane : index
  %c = arith.muli %b, %c100 : index
  %d = arith.addi %c, %size : index
  memref.store %d, %out[%i] : memref<?xindex>
  spmd.return
}
