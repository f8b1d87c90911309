// One lane adds for all of its sub-group, and tells where.
spmd.kernel @with_atomics(%x: memref<?xi32>, %count: memref<1xi32>, %total: memref<1xi32>, %out: memref<?xi32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %bit = arith.andi %v, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  %r = scf.if %odd -> (i32) {
    %place = spmd.scan exclusive add %one across sub_group : i32
    %sum = spmd.reduce add %v across sub_group : i32
    %first = spmd.elect
    scf.if %first {
      %old = spmd.atomic_rmw add %one, %count[%c0] : memref<1xi32>
      %older = spmd.atomic_rmw add %sum, %total[%c0] : memref<1xi32>
    }
    scf.yield %place : i32
  } else {
    scf.yield %zero : i32
  }
  memref.store %r, %out[%i] : memref<?xi32>
  spmd.return
}
