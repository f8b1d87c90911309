// In two dimensions, scans and broadcasts go by the linear id.
spmd.kernel @collectives_of_planes(%w: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  %row = arith.muli %gy, %w : index
  %i = arith.addi %row, %gx : index
  %v = memref.load %x[%i] : memref<?xi32>
  %upto = spmd.scan inclusive add %v across work_group : i32
  %sum = spmd.reduce add %v across work_group : i32
  %n = arith.muli %sx, %sy : index
  %last = arith.subi %n, %c1 : index
  %end = spmd.broadcast %upto from %last across work_group : i32
  %half = arith.shrui %n, %c1 : index
  %mid = spmd.broadcast %v from %half across work_group : i32
  %a = arith.subi %end, %sum : i32
  %b = arith.addi %a, %mid : i32
  %c = arith.muli %b, %upto : i32
  memref.store %c, %y[%i] : memref<?xi32>
  spmd.return
}
