// The steps of a transform of 64 points in local memory (the roots of unity are a table):
// half of a butterfly per work-item.
spmd.kernel @fft(%re: memref<?xf32>, %im: memref<?xf32>, %cos: memref<?xf32>, %sin: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %a = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %r = memref.load %re[%gid] : memref<?xf32>
  %i = memref.load %im[%gid] : memref<?xf32>
  memref.store %r, %a[%lid] : memref<64xf32, #spmd.memory<local>>
  memref.store %i, %b[%lid] : memref<64xf32, #spmd.memory<local>>
  spmd.barrier
  %end = scf.while (%half = %c1) : (index) -> index {
    %more = arith.cmpi ult, %half, %c64 : index
    scf.condition(%more) %half : index
  } do {
  ^bb0(%half: index):
    %other = arith.xori %lid, %half : index
    %bit = arith.andi %lid, %half : index
    %upper = arith.cmpi ne, %bit, %c0 : index
    %low = arith.select %upper, %other, %lid : index
    %high = arith.select %upper, %lid, %other : index
    %below = arith.subi %half, %c1 : index
    %k = arith.andi %lid, %below : index
    %step = arith.divui %c32, %half : index
    %w = arith.muli %k, %step : index
    %cosine = memref.load %cos[%w] : memref<?xf32>
    %sine = memref.load %sin[%w] : memref<?xf32>
    %ar = memref.load %a[%low] : memref<64xf32, #spmd.memory<local>>
    %ai = memref.load %b[%low] : memref<64xf32, #spmd.memory<local>>
    %br = memref.load %a[%high] : memref<64xf32, #spmd.memory<local>>
    %bi = memref.load %b[%high] : memref<64xf32, #spmd.memory<local>>
    %p = arith.mulf %br, %cosine : f32
    %q = arith.mulf %bi, %sine : f32
    %s = arith.mulf %br, %sine : f32
    %t = arith.mulf %bi, %cosine : f32
    %pr = arith.subf %p, %q : f32
    %pi = arith.addf %s, %t : f32
    %plus_r = arith.addf %ar, %pr : f32
    %plus_i = arith.addf %ai, %pi : f32
    %minus_r = arith.subf %ar, %pr : f32
    %minus_i = arith.subf %ai, %pi : f32
    %new_r = arith.select %upper, %minus_r, %plus_r : f32
    %new_i = arith.select %upper, %minus_i, %plus_i : f32
    spmd.barrier
    memref.store %new_r, %a[%lid] : memref<64xf32, #spmd.memory<local>>
    memref.store %new_i, %b[%lid] : memref<64xf32, #spmd.memory<local>>
    spmd.barrier
    %twice = arith.shli %half, %c1 : index
    scf.yield %twice : index
  }
  %u = memref.load %a[%lid] : memref<64xf32, #spmd.memory<local>>
  %v = memref.load %b[%lid] : memref<64xf32, #spmd.memory<local>>
  memref.store %u, %re[%gid] : memref<?xf32>
  memref.store %v, %im[%gid] : memref<?xf32>
  spmd.return
}
