// for (i = 0; i < 2 + lid; i++) { s[lid] += i; if (i < 2) barrier; }
spmd.kernel @uneven_trips(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %s = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  memref.store %zero, %s[%lid] : memref<256xi32, #spmd.memory<local>>
  %trips = arith.addi %lid, %c2 : index
  scf.for %i = %c0 to %trips step %c1 {
    %old = memref.load %s[%lid] : memref<256xi32, #spmd.memory<local>>
    %n = arith.index_cast %i : index to i32
    %new = arith.addi %old, %n : i32
    memref.store %new, %s[%lid] : memref<256xi32, #spmd.memory<local>>
    %early = arith.cmpi ult, %i, %c2 : index
    scf.if %early {
      spmd.barrier
    }
  }
  %mine = memref.load %s[%lid] : memref<256xi32, #spmd.memory<local>>
  memref.store %mine, %x[%gid] : memref<?xi32>
  spmd.return
}
