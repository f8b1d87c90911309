// Two tiles change places: all work-items have the same one, which needs no context.
spmd.kernel @local_swap(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %a = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %a[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<256xi32, #spmd.memory<local>>, memref<256xi32, #spmd.memory<local>>) {
    %next = arith.addi %lid, %c1 : index
    %there = arith.remui %next, %size : index
    %one = memref.load %from[%lid] : memref<256xi32, #spmd.memory<local>>
    %two = memref.load %from[%there] : memref<256xi32, #spmd.memory<local>>
    %sum = arith.addi %one, %two : i32
    memref.store %sum, %to[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    scf.yield %to, %from : memref<256xi32, #spmd.memory<local>>, memref<256xi32, #spmd.memory<local>>
  }
  %w = memref.load %r#0[%lid] : memref<256xi32, #spmd.memory<local>>
  memref.store %w, %x[%gid] : memref<?xi32>
  spmd.return
}
