// 6:3: expected spmd.return or a branch after memref.store, at the end of a block
spmd.kernel @k(%x: memref<?xf32>, %c: i1, %v: f32) {
  %i = spmd.global_id x
  cf.cond_br %c, ^store, ^end
^store:
  memref.store %v, %x[%i] : memref<?xf32>
^end:
  spmd.return
}
