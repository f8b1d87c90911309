// The five stream kernels.
!array = memref<?xf64>
!tile = memref<256xf64, #spmd.memory<local>>

spmd.kernel @copy(%a: !array, %b: !array, %c: !array) {
  %i = spmd.global_id x
  %v = memref.load %a[%i] : !array
  memref.store %v, %c[%i] : !array
  spmd.return
}

spmd.kernel @mul(%a: !array, %b: !array, %c: !array) {
  %k = arith.constant 0.4 : f64
  %i = spmd.global_id x
  %ci = memref.load %c[%i] : !array
  %v = arith.mulf %k, %ci fastmath<fast> : f64
  memref.store %v, %b[%i] : !array
  spmd.return
}

spmd.kernel @add(%a: !array, %b: !array, %c: !array) {
  %i = spmd.global_id x
  %ai = memref.load %a[%i] : !array
  %bi = memref.load %b[%i] : !array
  %v = arith.addf %ai, %bi fastmath<fast> : f64
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
  memref.store %v, %a[%i] : !array
  spmd.return
}

spmd.kernel @dot_product(%a: !array, %b: !array, %partial: !array, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = spmd.local_alloc : !tile
  %gid = spmd.global_id x
  %items = spmd.global_size x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %sum = scf.for %i = %gid to %n step %items iter_args(%s0 = %zero) -> (f64) {
    %ai = memref.load %a[%i] : !array
    %bi = memref.load %b[%i] : !array
    %p = arith.mulf %ai, %bi fastmath<fast> : f64
    %s1 = arith.addf %s0, %p fastmath<fast> : f64
    scf.yield %s1 : f64
  }
  memref.store %sum, %s[%lid] : !tile
  %start = arith.shrui %size, %c1 : index
  %end = scf.while (%half = %start) : (index) -> index {
    %more = arith.cmpi ugt, %half, %c0 : index
    scf.condition(%more) %half : index
  } do {
  ^bb0(%half: index):
    spmd.barrier
    %low = arith.cmpi ult, %lid, %half : index
    scf.if %low {
      %other = arith.addi %lid, %half : index
      %x = memref.load %s[%lid] : !tile
      %y = memref.load %s[%other] : !tile
      %z = arith.addf %x, %y fastmath<fast> : f64
      memref.store %z, %s[%lid] : !tile
    }
    %next = arith.shrui %half, %c1 : index
    scf.yield %next : index
  }
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {
    %group = spmd.group_id x
    %total = memref.load %s[%c0] : !tile
    memref.store %total, %partial[%group] : !array
  }
  spmd.return
}
