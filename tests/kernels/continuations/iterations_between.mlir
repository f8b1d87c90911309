// Loops that some work-items run around without waiting, with values that are defined on
// some paths only, private arrays, and collectives.
spmd.kernel @iterations_between(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %p = memref.alloca() : memref<4xi32>
  %q = memref.alloca() : memref<4xi32>
  %v = memref.load %x[%gid] : memref<?xi32>
  %w0 = memref.load %y[%gid] : memref<?xi32>
  %spins32 = arith.andi %w0, %three : i32
  %spins = arith.index_cast %spins32 : i32 to index
  memref.store %v, %p[%c0] : memref<4xi32>
  memref.store %w0, %p[%c1] : memref<4xi32>
  memref.store %zero, %p[%c2] : memref<4xi32>
  memref.store %one, %p[%c3] : memref<4xi32>
  %view = memref.subview %q[1] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: 1>>
  memref.store %v, %view[%c0] : memref<2xi32, strided<[1], offset: 1>>
  memref.store %w0, %view[%c1] : memref<2xi32, strided<[1], offset: 1>>
  %next = arith.addi %lid, %c1 : index
  %wrapped = arith.remui %next, %size : index
  // Waits in its last three iterations, whatever their number.
  %iterations = arith.addi %spins, %c3 : index
  %r, %t = scf.for %i = %c0 to %iterations step %c1 iter_args(%a = %v, %b = %zero) -> (i32, i32) {
    %k = arith.remui %i, %c4 : index
    %e = memref.load %p[%k] : memref<4xi32>
    %a2 = arith.addi %a, %e : i32
    %wait = arith.cmpi uge, %i, %spins : index
    %f, %g = scf.if %wait -> (i32, i32) {
      memref.store %a2, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %w = memref.load %tile[%wrapped] : memref<256xi32, #spmd.memory<local>>
      %sum = spmd.reduce add %w across work_group : i32
      %upto = spmd.scan inclusive xor %a2 across work_group : i32
      %mid = spmd.broadcast %a2 from %c0 across work_group : i32
      %s = arith.addi %w, %upto : i32
      %s2 = arith.xori %s, %mid : i32
      memref.store %s2, %p[%k] : memref<4xi32>
      memref.store %sum, %view[%c0] : memref<2xi32, strided<[1], offset: 1>>
      scf.yield %s2, %sum : i32, i32
    } else {
      %h = arith.muli %a2, %three : i32
      memref.store %h, %p[%k] : memref<4xi32>
      scf.yield %h, %b : i32, i32
    }
    scf.yield %f, %g : i32, i32
  }
  %l = memref.load %view[%c0] : memref<2xi32, strided<[1], offset: 1>>
  %m = memref.load %p[%c2] : memref<4xi32>
  %o1 = arith.addi %r, %t : i32
  %o2 = arith.xori %o1, %l : i32
  %o3 = arith.addi %o2, %m : i32
  memref.store %o3, %x[%gid] : memref<?xi32>
  spmd.return
}
