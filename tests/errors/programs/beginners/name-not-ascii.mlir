// 5:3: expected a name of ASCII letters, digits and $._-, got '%ñ'
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %ñ = arith.addf %v, %v : f32
  spmd.return
}
