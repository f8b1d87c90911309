// Uniform loops in uniform loops; the induction variables address memory.
spmd.kernel @for_uniform_nested(%x: memref<4x5xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %start = memref.load %y[%i] : memref<?xf32>
  %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%a = %start) -> (f32) {
    %s = scf.for %k = %c0 to %c5 step %c1 iter_args(%b = %a) -> (f32) {
      %v = memref.load %x[%j, %k] : memref<4x5xf32>
      %t = arith.mulf %b, %v : f32
      %u = arith.addf %t, %v : f32
      scf.yield %u : f32
    }
    scf.yield %s : f32
  }
  memref.store %r, %y[%i] : memref<?xf32>
  spmd.return
}
