// Two private arrays change places in each iteration.
spmd.kernel @private_swap(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %a = memref.alloca() : memref<4xi32>
  %b = memref.alloca() : memref<4xi32>
  %v = memref.load %x[%gid] : memref<?xi32>
  %one = arith.constant 1 : i32
  memref.store %v, %a[%c2] : memref<4xi32>
  memref.store %one, %b[%c2] : memref<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a, %t = %b) -> (memref<4xi32>, memref<4xi32>) {
    %u = memref.load %s[%c2] : memref<4xi32>
    memref.store %u, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %next = arith.addi %lid, %c1 : index
    %there = arith.remui %next, %size : index
    %other = memref.load %tile[%there] : memref<256xi32, #spmd.memory<local>>
    %old = memref.load %t[%c2] : memref<4xi32>
    %new = arith.addi %other, %old : i32
    memref.store %new, %t[%c2] : memref<4xi32>
    spmd.barrier
    scf.yield %t, %s : memref<4xi32>, memref<4xi32>
  }
  %w = memref.load %r#0[%c2] : memref<4xi32>
  memref.store %w, %x[%gid] : memref<?xi32>
  spmd.return
}
