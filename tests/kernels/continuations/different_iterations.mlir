// Work-items reach the same barrier in different iterations of a loop: values that are the
// same in one iteration differ at the barrier.
spmd.kernel @different_iterations(%x: memref<?xi32>, %iterations: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %five = arith.constant 5 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %mask = arith.constant 3 : i32
  %r = memref.load %iterations[%gid] : memref<?xi32>
  %mine32 = arith.andi %r, %mask : i32
  %mine = arith.index_cast %mine32 : i32 to index
  %last = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %five) -> (i32) {
    // Uniform in one iteration.
    %n = arith.index_cast %i : index to i32
    %square = arith.muli %n, %n : i32
    %acc2 = arith.addi %acc, %square : i32
    %now = arith.cmpi eq, %i, %mine : index
    %next = scf.if %now -> (i32) {
      memref.store %acc2, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %o = arith.addi %lid, %c1 : index
      %other = arith.remui %o, %size : index
      %w = memref.load %tile[%other] : memref<256xi32, #spmd.memory<local>>
      %t = arith.muli %w, %n : i32
      %u = arith.addi %t, %square : i32
      scf.yield %u : i32
    } else {
      scf.yield %acc2 : i32
    }
    scf.yield %next : i32
  }
  memref.store %last, %x[%gid] : memref<?xi32>
  spmd.return
}
