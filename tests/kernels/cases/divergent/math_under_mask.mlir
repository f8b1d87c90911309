// A function that only some work-items may evaluate: elsewhere it is infinite or NaN.
spmd.kernel @math_under_mask(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  %r = scf.if %positive -> (f32) {
    %l = math.log %v : f32
    %s = math.sqrt %v : f32
    %t = arith.divf %l, %s : f32
    scf.yield %t : f32
  } else {
    scf.yield %zero : f32
  }
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
}
