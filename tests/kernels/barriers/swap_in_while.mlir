// Two varying values change places in every iteration; the condition is in memory.
spmd.kernel @swap_in_while(%x: memref<?xi32>, %y: memref<?xi32>, %trips: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %n = memref.load %trips[%c0] : memref<?xindex>
  %a0 = memref.load %x[%gid] : memref<?xi32>
  %b0 = memref.load %y[%gid] : memref<?xi32>
  %a, %b, %k = scf.while (%p = %a0, %q = %b0, %i = %c0) : (i32, i32, index) -> (i32, i32, index) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %p, %q, %i : i32, i32, index
  } do {
  ^bb0(%p: i32, %q: i32, %i: index):
    memref.store %p, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %first = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
    %p2 = arith.addi %q, %first : i32
    spmd.barrier
    %j = arith.addi %i, %c1 : index
    scf.yield %p2, %p, %j : i32, i32, index
  }
  memref.store %a, %x[%gid] : memref<?xi32>
  memref.store %b, %y[%gid] : memref<?xi32>
  spmd.return
}
