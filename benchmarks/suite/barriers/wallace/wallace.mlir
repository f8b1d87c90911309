// Wallace-style random numbers: a pool of 1024 values per group in local memory; every round
// permutes it (a linear congruence) and mixes four values with an orthonormal 4x4 matrix.
!pool = memref<1024xf32, #spmd.memory<local>>

spmd.kernel @wallace(%out: memref<?xf32>, %seed: memref<?xf32>, %repeats: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c77 = arith.constant 77 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c768 = arith.constant 768 : index
  %c1023 = arith.constant 1023 : index
  %c1024 = arith.constant 1024 : index
  %c1172 = arith.constant 1172 : index
  %c293 = arith.constant 293 : index
  %c586 = arith.constant 586 : index
  %c879 = arith.constant 879 : index
  %half = arith.constant 0.5 : f32
  %pool = spmd.local_alloc : !pool
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %base = arith.muli %group, %c1024 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %row = arith.muli %j, %c256 : index
    %to = arith.addi %lid, %row : index
    %from = arith.addi %base, %to : index
    %v = memref.load %seed[%from] : memref<?xf32>
    memref.store %v, %pool[%to] : !pool
  }
  spmd.barrier
  scf.for %r = %c0 to %repeats step %c1 {
    %stride = arith.muli %lid, %c1172 : index
    %shift = arith.muli %r, %c77 : index
    %at = arith.addi %stride, %shift : index
    %at1 = arith.addi %at, %c293 : index
    %at2 = arith.addi %at, %c586 : index
    %at3 = arith.addi %at, %c879 : index
    %ip = arith.andi %at, %c1023 : index
    %iq = arith.andi %at1, %c1023 : index
    %iu = arith.andi %at2, %c1023 : index
    %iv = arith.andi %at3, %c1023 : index
    %p = memref.load %pool[%ip] : !pool
    %q = memref.load %pool[%iq] : !pool
    %u = memref.load %pool[%iu] : !pool
    %v = memref.load %pool[%iv] : !pool
    spmd.barrier
    %pq = arith.addf %p, %q fastmath<fast> : f32
    %pqu = arith.addf %pq, %u fastmath<fast> : f32
    %pquv = arith.addf %pqu, %v fastmath<fast> : f32
    %t = arith.mulf %half, %pquv fastmath<fast> : f32
    %p1 = arith.subf %p, %t fastmath<fast> : f32
    memref.store %p1, %pool[%lid] : !pool
    %lid1 = arith.addi %lid, %c256 : index
    %q1 = arith.subf %q, %t fastmath<fast> : f32
    memref.store %q1, %pool[%lid1] : !pool
    %lid2 = arith.addi %lid, %c512 : index
    %u1 = arith.subf %t, %u fastmath<fast> : f32
    memref.store %u1, %pool[%lid2] : !pool
    %lid3 = arith.addi %lid, %c768 : index
    %v1 = arith.subf %t, %v fastmath<fast> : f32
    memref.store %v1, %pool[%lid3] : !pool
    spmd.barrier
    %block = arith.muli %group, %repeats : index
    %repeat = arith.addi %block, %r : index
    %first = arith.muli %repeat, %c1024 : index
    scf.for %j = %c0 to %c4 step %c1 {
      %row = arith.muli %j, %c256 : index
      %from = arith.addi %lid, %row : index
      %w = memref.load %pool[%from] : !pool
      %to = arith.addi %first, %from : index
      memref.store %w, %out[%to] : memref<?xf32>
    }
  }
  spmd.return
}
