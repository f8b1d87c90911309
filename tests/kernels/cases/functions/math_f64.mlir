// Transcendental functions of f64.
spmd.kernel @math_f64(%x: memref<?xf64>, %y: memref<?x8xf64>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %v = memref.load %x[%i] : memref<?xf64>
  %abs = math.absf %v : f64
  %exp = math.exp %v : f64
  %log = math.log %abs : f64
  %sin = math.sin %v : f64
  %cos = math.cos %v : f64
  %tanh = math.tanh %v : f64
  %pow = math.powf %abs, %v : f64
  %erf = math.erf %v : f64
  %atan = math.atan2 %v, %abs : f64
  memref.store %exp, %y[%i, %c0] : memref<?x8xf64>
  memref.store %log, %y[%i, %c1] : memref<?x8xf64>
  memref.store %sin, %y[%i, %c2] : memref<?x8xf64>
  memref.store %cos, %y[%i, %c3] : memref<?x8xf64>
  memref.store %tanh, %y[%i, %c4] : memref<?x8xf64>
  memref.store %pow, %y[%i, %c5] : memref<?x8xf64>
  memref.store %erf, %y[%i, %c6] : memref<?x8xf64>
  memref.store %atan, %y[%i, %c7] : memref<?x8xf64>
  spmd.return
}
