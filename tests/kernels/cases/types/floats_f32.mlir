// Arithmetic on f32, rounded after every op; minima and maxima with NaN.
spmd.kernel @floats_f32(%s: f32, %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %i = spmd.global_id x
  %a = memref.load %x[%i] : memref<?xf32>
  %b = memref.load %y[%i] : memref<?xf32>
  %add = arith.addf %a, %b : f32
  %mul = arith.mulf %add, %s : f32
  %sub = arith.subf %mul, %a : f32
  %div = arith.divf %sub, %b : f32
  %neg = arith.negf %div : f32
  %min = arith.minimumf %neg, %a : f32
  %max = arith.maximumf %min, %b : f32
  %minnum = arith.minnumf %div, %a : f32
  %maxnum = arith.maxnumf %minnum, %s : f32
  %less = arith.cmpf ult, %max, %maxnum : f32
  %r = arith.select %less, %max, %maxnum : f32
  memref.store %r, %z[%i] : memref<?xf32>
  memref.store %div, %x[%i] : memref<?xf32>
  spmd.return
}
