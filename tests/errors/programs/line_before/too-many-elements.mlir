// 2:67: shape mismatch in dense literal. Expected [2] shape from the type, but got [3] shape
memref.global constant @g : memref<2xf32> = dense<[1.0, 2.0, 3.0]>
spmd.kernel @k() {
  spmd.return
}
