// Arrays whose columns lie in a row, as Fortran has them: neighbours along the first dimension.
!columns = memref<?x?xf32, strided<[1, ?], offset: ?>>

spmd.kernel @columns(%x: !columns, %y: !columns) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c1 : !columns
  %half = arith.constant 0.5 : f32
  %i = spmd.global_id x
  scf.for %k = %c0 to %n step %c1 {
    %v = memref.load %x[%i, %k] : !columns
    %positive = arith.cmpf ogt, %v, %half : f32
    scf.if %positive {
      %old = memref.load %y[%i, %k] : !columns
      %w = arith.addf %v, %old : f32
      memref.store %w, %y[%i, %k] : !columns
    }
  }
  spmd.return
}
