// Arithmetic on f16, rounded after every op; minima and maxima with NaN.
spmd.kernel @floats_f16(%s: f16, %x: memref<?xf16>, %y: memref<?xf16>, %z: memref<?xf16>) {
  %i = spmd.global_id x
  %a = memref.load %x[%i] : memref<?xf16>
  %b = memref.load %y[%i] : memref<?xf16>
  %add = arith.addf %a, %b : f16
  %mul = arith.mulf %add, %s : f16
  %sub = arith.subf %mul, %a : f16
  %div = arith.divf %sub, %b : f16
  %neg = arith.negf %div : f16
  %min = arith.minimumf %neg, %a : f16
  %max = arith.maximumf %min, %b : f16
  %minnum = arith.minnumf %div, %a : f16
  %maxnum = arith.maxnumf %minnum, %s : f16
  %less = arith.cmpf ult, %max, %maxnum : f16
  %r = arith.select %less, %max, %maxnum : f16
  memref.store %r, %z[%i] : memref<?xf16>
  memref.store %div, %x[%i] : memref<?xf16>
  spmd.return
}
