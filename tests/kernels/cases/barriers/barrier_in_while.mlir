// A tree reduction: the stride is the same for all, the work is not.
spmd.kernel @barrier_in_while(%x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %n = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %last = scf.while (%s = %c32) : (index) -> index {
    %more = arith.cmpi ugt, %s, %c0 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    %low = arith.cmpi ult, %lid, %s : index
    %j = arith.addi %lid, %s : index
    %there = arith.cmpi ult, %j, %n : index
    %active = arith.andi %low, %there : i1
    scf.if %active {
      %a = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
      %b = memref.load %tile[%j] : memref<64xi32, #spmd.memory<local>>
      %c = arith.addi %a, %b : i32
      memref.store %c, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    }
    spmd.barrier
    %half = arith.shrui %s, %c1 : index
    scf.yield %half : index
  }
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {
    %group = spmd.group_id x
    %sum = memref.load %tile[%c0] : memref<64xi32, #spmd.memory<local>>
    memref.store %sum, %out[%group] : memref<?xi32>
  }
  spmd.return
}
