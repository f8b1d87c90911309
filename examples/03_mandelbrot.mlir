// How many steps of z = z * z + c stay within the circle of radius 2, at most %limit:
// a loop that every work-item leaves when it likes.
spmd.kernel @mandelbrot(
    %left: f32, %top: f32, %dx: f32, %dy: f32, %limit: i32, %steps: memref<?x?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4.0 : f32
  %column = spmd.global_id x
  %row = spmd.global_id y
  %column32 = arith.index_cast %column : index to i32
  %row32 = arith.index_cast %row : index to i32
  %columnf = arith.sitofp %column32 : i32 to f32
  %rowf = arith.sitofp %row32 : i32 to f32
  %offset = arith.mulf %columnf, %dx : f32
  %cr = arith.addf %left, %offset : f32
  %depth = arith.mulf %rowf, %dy : f32
  %ci = arith.addf %top, %depth : f32
  %zr, %zi, %r2, %i2, %count = scf.while (%r = %cr, %i = %ci, %k = %zero)
      : (f32, f32, i32) -> (f32, f32, f32, f32, i32) {
    %rr = arith.mulf %r, %r : f32
    %ii = arith.mulf %i, %i : f32
    %size = arith.addf %rr, %ii : f32
    %inside = arith.cmpf ole, %size, %four : f32
    %more = arith.cmpi slt, %k, %limit : i32
    %go_on = arith.andi %inside, %more : i1
    scf.condition(%go_on) %r, %i, %rr, %ii, %k : f32, f32, f32, f32, i32
  } do {
  ^bb0(%r: f32, %i: f32, %rr: f32, %ii: f32, %k: i32):
    %ri = arith.mulf %r, %i : f32
    %ri2 = arith.addf %ri, %ri : f32
    %next_i = arith.addf %ri2, %ci : f32
    %difference = arith.subf %rr, %ii : f32
    %next_r = arith.addf %difference, %cr : f32
    %next_k = arith.addi %k, %one : i32
    scf.yield %next_r, %next_i, %next_k : f32, f32, i32
  }
  memref.store %count, %steps[%row, %column] : memref<?x?xi32>
  spmd.return
}
