// Functions of which there is only one right result.
spmd.kernel @math_exact(%x: memref<?xf32>, %y: memref<?x8xf32>) {
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
  %sqrt = math.sqrt %abs : f32
  %floor = math.floor %v : f32
  %ceil = math.ceil %v : f32
  %trunc = math.trunc %v : f32
  %even = math.roundeven %v : f32
  %fma = math.fma %v, %sqrt, %abs : f32
  %sign = math.copysign %sqrt, %v : f32
  memref.store %abs, %y[%i, %c0] : memref<?x8xf32>
  memref.store %sqrt, %y[%i, %c1] : memref<?x8xf32>
  memref.store %floor, %y[%i, %c2] : memref<?x8xf32>
  memref.store %ceil, %y[%i, %c3] : memref<?x8xf32>
  memref.store %trunc, %y[%i, %c4] : memref<?x8xf32>
  memref.store %even, %y[%i, %c5] : memref<?x8xf32>
  memref.store %fma, %y[%i, %c6] : memref<?x8xf32>
  memref.store %sign, %y[%i, %c7] : memref<?x8xf32>
  spmd.return
}
