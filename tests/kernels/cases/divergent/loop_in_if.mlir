// A loop that only some work-items enter, with loads at positions of their own.
spmd.kernel @loop_in_if(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %n = spmd.global_size x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %rest = arith.remui %i, %c3 : index
  %chosen = arith.cmpi ne, %rest, %c0 : index
  %sum = scf.if %chosen -> (f32) {
    %s = scf.for %j = %i to %n step %c3 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%j] : memref<?xf32>
      %t = arith.addf %a, %v : f32
      scf.yield %t : f32
    }
    scf.yield %s : f32
  } else {
    scf.yield %zero : f32
  }
  memref.store %sum, %y[%i] : memref<?xf32>
  spmd.return
}
