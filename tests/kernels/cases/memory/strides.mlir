// Constant strides: complex numbers as pairs, and every third element.
spmd.kernel @strides(%z: memref<?xf32>, %x: memref<?xf32>) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %e = arith.muli %i, %c2 : index
  %o = arith.addi %e, %c1 : index
  %re = memref.load %z[%e] : memref<?xf32>
  %im = memref.load %z[%o] : memref<?xf32>
  %a = arith.mulf %re, %re : f32
  %b = arith.mulf %im, %im : f32
  %s = arith.addf %a, %b : f32
  %t = arith.muli %i, %c3 : index
  memref.store %im, %z[%e] : memref<?xf32>
  memref.store %re, %z[%o] : memref<?xf32>
  memref.store %s, %x[%t] : memref<?xf32>
  spmd.return
}
