// The work stands before the condition: every work-item does it at least once.
spmd.kernel @do_while(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %half = arith.constant 0.5 : f32
  %small = arith.constant 0.125 : f32
  %v = memref.load %x[%i] : memref<?xf32>
  %start = math.absf %v : f32
  %r = scf.while (%a = %start) : (f32) -> f32 {
    %b = arith.mulf %a, %half : f32
    memref.store %b, %y[%i] : memref<?xf32>
    %more = arith.cmpf ogt, %b, %small : f32
    scf.condition(%more) %b : f32
  } do {
  ^bb0(%b: f32):
    scf.yield %b : f32
  }
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
}
