spmd.kernel @axpy(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %gid = spmd.global_id x
  %items = spmd.global_size x
  %two = arith.constant 2.0 : f32
  scf.for %i = %gid to %n step %items {
    %xi = memref.load %x[%i] : memref<?xf32>
    %yi = memref.load %y[%i] : memref<?xf32>
    %p = arith.mulf %xi, %two : f32
    %s = arith.addf %p, %yi : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  spmd.return
}
