// Everything that the lanes of a sub-group can compute together.
spmd.kernel @sub_group_collectives(%x: memref<?xi32>, %y: memref<?xf32>,
    %votes: memref<?xi64>, %flags: memref<?xi1>) attributes {sub_group_size = 8 : i64} {
  %i = spmd.global_id x
  %lane = spmd.lane_id
  %number = spmd.sub_group_id
  %size = spmd.sub_group_size
  %all_sizes = spmd.num_sub_groups
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %f = memref.load %y[%i] : memref<?xf32>
  %positive = arith.cmpi sgt, %v, %zero : i32
  %sum = spmd.reduce add %v across sub_group : i32
  %least = spmd.reduce min %f across sub_group : f32
  %before = spmd.scan exclusive add %v across sub_group : i32
  %up_to = spmd.scan inclusive max %v across sub_group : i32
  %first = spmd.broadcast %f from %c0 across sub_group : f32
  %vote = spmd.ballot %positive : i64
  %any = spmd.any %positive across sub_group
  %all = spmd.all %positive across sub_group
  %leader = spmd.elect
  %a = arith.addi %lane, %number : index
  %b = arith.muli %size, %all_sizes : index
  %c = arith.addi %a, %b : index
  %d = arith.index_cast %c : index to i32
  %e = arith.xori %sum, %before : i32
  %g = arith.xori %e, %up_to : i32
  %h = arith.xori %g, %d : i32
  %p = arith.addf %least, %first : f32
  %q = arith.xori %any, %all : i1
  %r = arith.xori %q, %leader : i1
  memref.store %h, %x[%i] : memref<?xi32>
  memref.store %p, %y[%i] : memref<?xf32>
  memref.store %vote, %votes[%i] : memref<?xi64>
  memref.store %r, %flags[%i] : memref<?xi1>
  spmd.return
}
