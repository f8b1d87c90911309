// Reductions, scans and broadcasts over the group, in straight-line code and in a loop.
spmd.kernel @group_collectives(%iterations: index, %x: memref<?xi32>, %y: memref<?xf32>,
    %total: memref<?xi32>) {
  %i = spmd.global_id x
  %g = spmd.group_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  %f = memref.load %y[%i] : memref<?xf32>
  %sum = spmd.reduce add %v across work_group : i32
  %max = spmd.reduce max %f across work_group : f32
  %before = spmd.scan exclusive add %v across work_group : i32
  %first = spmd.broadcast %f from %c0 across work_group : f32
  %r = scf.for %j = %c0 to %iterations step %c1 iter_args(%a = %before) -> (i32) {
    %up_to = spmd.scan inclusive xor %a across work_group : i32
    %least = spmd.reduce min %up_to across work_group : i32
    %b = arith.subi %up_to, %least : i32
    scf.yield %b : i32
  }
  %positive = arith.cmpi sgt, %r, %v : i32
  %some = spmd.any %positive across work_group
  %chosen = arith.select %some, %max, %first : f32
  memref.store %r, %x[%i] : memref<?xi32>
  memref.store %chosen, %y[%i] : memref<?xf32>
  memref.store %sum, %total[%g] : memref<?xi32>
  spmd.return
}
