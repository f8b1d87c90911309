// Arithmetic on bf16, rounded after every op; minima and maxima with NaN.
spmd.kernel @floats_bf16(%s: bf16, %x: memref<?xbf16>, %y: memref<?xbf16>, %z: memref<?xbf16>) {
  %i = spmd.global_id x
  %a = memref.load %x[%i] : memref<?xbf16>
  %b = memref.load %y[%i] : memref<?xbf16>
  %add = arith.addf %a, %b : bf16
  %mul = arith.mulf %add, %s : bf16
  %sub = arith.subf %mul, %a : bf16
  %div = arith.divf %sub, %b : bf16
  %neg = arith.negf %div : bf16
  %min = arith.minimumf %neg, %a : bf16
  %max = arith.maximumf %min, %b : bf16
  %minnum = arith.minnumf %div, %a : bf16
  %maxnum = arith.maxnumf %minnum, %s : bf16
  %less = arith.cmpf ult, %max, %maxnum : bf16
  %r = arith.select %less, %max, %maxnum : bf16
  memref.store %r, %z[%i] : memref<?xbf16>
  memref.store %div, %x[%i] : memref<?xbf16>
  spmd.return
}
