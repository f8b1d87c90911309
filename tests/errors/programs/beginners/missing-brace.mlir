// 2:46: expected a '}' for this '{', got the end of the file
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %c = arith.cmpf olt, %v, %v : f32
  scf.if %c {

  spmd.return
}
