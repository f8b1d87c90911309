// for (i = 0; i < 2 + lid; i++) { s += i; if (i > 0) s += t[next]; if (i < 2) barrier; }
spmd.kernel @uneven_trips(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %next = arith.addi %lid, %c1 : index
  %wrapped = arith.remui %next, %size : index
  %s = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %t = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  memref.store %zero, %s[%lid] : memref<256xi32, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  %trips = arith.addi %lid, %c2 : index
  scf.for %i = %c0 to %trips step %c1 {
    %begins = arith.cmpi eq, %i, %c0 : index
    %w = scf.if %begins -> (i32) {
      memref.store %v, %t[%lid] : memref<256xi32, #spmd.memory<local>>
      scf.yield %zero : i32
    } else {
      %other = memref.load %t[%wrapped] : memref<256xi32, #spmd.memory<local>>
      scf.yield %other : i32
    }
    %old = memref.load %s[%lid] : memref<256xi32, #spmd.memory<local>>
    %n = arith.index_cast %i : index to i32
    %more = arith.addi %n, %w : i32
    %new = arith.addi %old, %more : i32
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
