// All work-items compute, and store, the same value at the same place.
spmd.kernel @uniform_result(%n: index, %x: memref<?xf32>, %out: memref<?xf32>) {
  %g = spmd.group_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) {
    %v = memref.load %x[%j] : memref<?xf32>
    %t = arith.addf %a, %v : f32
    scf.yield %t : f32
  }
  memref.store %s, %out[%g] : memref<?xf32>
  spmd.return
}
