// Arithmetic on f64, rounded after every op; minima and maxima with NaN.
spmd.kernel @floats_f64(%s: f64, %x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>) {
  %i = spmd.global_id x
  %a = memref.load %x[%i] : memref<?xf64>
  %b = memref.load %y[%i] : memref<?xf64>
  %add = arith.addf %a, %b : f64
  %mul = arith.mulf %add, %s : f64
  %sub = arith.subf %mul, %a : f64
  %div = arith.divf %sub, %b : f64
  %neg = arith.negf %div : f64
  %min = arith.minimumf %neg, %a : f64
  %max = arith.maximumf %min, %b : f64
  %minnum = arith.minnumf %div, %a : f64
  %maxnum = arith.maxnumf %minnum, %s : f64
  %less = arith.cmpf ult, %max, %maxnum : f64
  %r = arith.select %less, %max, %maxnum : f64
  memref.store %r, %z[%i] : memref<?xf64>
  memref.store %div, %x[%i] : memref<?xf64>
  spmd.return
}
