// Uniform loads that must stay after a work-item's write, and are used after a barrier.
spmd.kernel @uniform_read_after_write(%x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %tile = spmd.local_alloc : memref<4xi32, #spmd.memory<local>>
  %v = memref.load %x[%group] : memref<?xi32>
  memref.store %v, %tile[%c0] : memref<4xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%c0] : memref<4xi32, #spmd.memory<local>>
  spmd.barrier
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {
    %two = arith.addi %w, %w : i32
    memref.store %two, %tile[%c0] : memref<4xi32, #spmd.memory<local>>
  }
  spmd.barrier
  %u = memref.load %tile[%c0] : memref<4xi32, #spmd.memory<local>>
  %s = arith.addi %u, %w : i32
  memref.store %s, %out[%gid] : memref<?xi32>
  spmd.return
}
