// 4:8: expected a private array of integers, floats or vectors, got memref<4xcomplex<f32>>
spmd.kernel @k(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<4xcomplex<f32>>
  %v = memref.load %a[%c0] : memref<4xcomplex<f32>>
  memref.store %v, %a[%c0] : memref<4xcomplex<f32>>
  spmd.return
}
