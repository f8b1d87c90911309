// Transcendental functions of f32.
spmd.kernel @math_f32(%x: memref<?xf32>, %y: memref<?x8xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %v = memref.load %x[%i] : memref<?xf32>
  %abs = math.absf %v : f32
  %exp = math.exp %v : f32
  %log = math.log %abs : f32
  %sin = math.sin %v : f32
  %cos = math.cos %v : f32
  %tanh = math.tanh %v : f32
  %pow = math.powf %abs, %v : f32
  %erf = math.erf %v : f32
  %atan = math.atan2 %v, %abs : f32
  memref.store %exp, %y[%i, %c0] : memref<?x8xf32>
  memref.store %log, %y[%i, %c1] : memref<?x8xf32>
  memref.store %sin, %y[%i, %c2] : memref<?x8xf32>
  memref.store %cos, %y[%i, %c3] : memref<?x8xf32>
  memref.store %tanh, %y[%i, %c4] : memref<?x8xf32>
  memref.store %pow, %y[%i, %c5] : memref<?x8xf32>
  memref.store %erf, %y[%i, %c6] : memref<?x8xf32>
  memref.store %atan, %y[%i, %c7] : memref<?x8xf32>
  spmd.return
}
