// Four stream kernels with a barrier of the work-group between the loads and the store.
!array = memref<?xf64>

spmd.kernel @copy(%a: !array, %b: !array, %c: !array) {
  %i = spmd.global_id x
  %v = memref.load %a[%i] : !array
  spmd.barrier
  memref.store %v, %c[%i] : !array
  spmd.return
}

spmd.kernel @mul(%a: !array, %b: !array, %c: !array) {
  %k = arith.constant 0.4 : f64
  %i = spmd.global_id x
  %ci = memref.load %c[%i] : !array
  %v = arith.mulf %k, %ci fastmath<fast> : f64
  spmd.barrier
  memref.store %v, %b[%i] : !array
  spmd.return
}

spmd.kernel @add(%a: !array, %b: !array, %c: !array) {
  %i = spmd.global_id x
  %ai = memref.load %a[%i] : !array
  %bi = memref.load %b[%i] : !array
  %v = arith.addf %ai, %bi fastmath<fast> : f64
  spmd.barrier
  memref.store %v, %c[%i] : !array
  spmd.return
}

spmd.kernel @triad(%a: !array, %b: !array, %c: !array) {
  %k = arith.constant 0.4 : f64
  %i = spmd.global_id x
  %bi = memref.load %b[%i] : !array
  %ci = memref.load %c[%i] : !array
  %kc = arith.mulf %k, %ci fastmath<fast> : f64
  %v = arith.addf %bi, %kc fastmath<fast> : f64
  spmd.barrier
  memref.store %v, %a[%i] : !array
  spmd.return
}
