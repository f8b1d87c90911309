// Arguments with strides of their own.
spmd.kernel @strided_arguments(%x: memref<?xf32, strided<[?], offset: ?>>,
    %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xf32, strided<[?], offset: ?>>
  %w = memref.load %y[%i, %c0] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %s = arith.addf %v, %w : f32
  memref.store %s, %y[%i, %c1] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  memref.store %w, %x[%i] : memref<?xf32, strided<[?], offset: ?>>
  spmd.return
}
