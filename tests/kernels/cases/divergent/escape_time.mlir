// A loop with a counter and a data-dependent exit, as Mandelbrot has.
spmd.kernel @escape_time(%limit: i32, %x: memref<?xf32>, %count: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %four = arith.constant 4.0 : f32
  %zero = arith.constant 0.0 : f32
  %c = memref.load %x[%i] : memref<?xf32>
  %n, %z = scf.while (%k = %c0, %w = %zero) : (i32, f32) -> (i32, f32) {
    %in_time = arith.cmpi slt, %k, %limit : i32
    %size = arith.mulf %w, %w : f32
    %inside = arith.cmpf olt, %size, %four : f32
    %more = arith.andi %in_time, %inside : i1
    scf.condition(%more) %k, %w : i32, f32
  } do {
  ^bb0(%k: i32, %w: f32):
    %sq = arith.mulf %w, %w : f32
    %next = arith.addf %sq, %c : f32
    %k1 = arith.addi %k, %c1 : i32
    scf.yield %k1, %next : i32, f32
  }
  memref.store %n, %count[%i] : memref<?xi32>
  spmd.return
}
