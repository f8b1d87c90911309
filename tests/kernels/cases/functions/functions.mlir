// Functions, one in another, with ids inside.
func.func private @square(%v: f32) -> f32 {
  %r = arith.mulf %v, %v : f32
  func.return %r : f32
}
func.func private @at_my_place(%x: memref<?xf32>) -> (f32, index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %s = func.call @square(%v) : (f32) -> f32
  func.return %s, %i : f32, index
}
spmd.kernel @functions(%x: memref<?xf32>) {
  %s, %i = func.call @at_my_place(%x) : (memref<?xf32>) -> (f32, index)
  %t = func.call @square(%s) : (f32) -> f32
  memref.store %t, %x[%i] : memref<?xf32>
  spmd.return
}
