// A divergent if with a result from both sides.
spmd.kernel @if_else(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%i] : memref<?xf32>
  %negative = arith.cmpf olt, %v, %zero : f32
  %r = scf.if %negative -> (f32) {
    %a = arith.mulf %v, %v : f32
    scf.yield %a : f32
  } else {
    %b = arith.addf %v, %v : f32
    scf.yield %b : f32
  }
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
}
