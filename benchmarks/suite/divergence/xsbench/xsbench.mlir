// Macroscopic cross sections: binary search in the unionised energy grid, then for every nuclide
// of the material a gather of two grid points and a linear interpolation of five channels.
spmd.kernel @xsbench(
    %out: memref<?xf64>, %energy: memref<?xf64>, %material: memref<?xi32>, %grid: memref<?xf64>,
    %index: memref<?xi32>, %nuclide_energy: memref<?xf64>, %xs: memref<?xf64>,
    %mat_start: memref<?xi32>, %mat_nuclide: memref<?xi32>, %mat_density: memref<?xf64>,
    %n_grid: index, %n_nuclides: index, %n_points: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f64
  %i = spmd.global_id x
  %e = memref.load %energy[%i] : memref<?xf64>
  %last = arith.subi %n_grid, %c1 : index
  %lo, %hi = scf.while (%l = %c0, %h = %last) : (index, index) -> (index, index) {
    %gap = arith.subi %h, %l : index
    %more = arith.cmpi sgt, %gap, %c1 : index
    scf.condition(%more) %l, %h : index, index
  } do {
  ^bb0(%l: index, %h: index):
    %gap = arith.subi %h, %l : index
    %half = arith.divsi %gap, %c2 : index
    %mid = arith.addi %l, %half : index
    %g = memref.load %grid[%mid] : memref<?xf64>
    %above = arith.cmpf ogt, %g, %e fastmath<fast> : f64
    %l1 = arith.select %above, %l, %mid : index
    %h1 = arith.select %above, %mid, %h : index
    scf.yield %l1, %h1 : index, index
  }
  %m32 = memref.load %material[%i] : memref<?xi32>
  %m = arith.index_cast %m32 : i32 to index
  %m1 = arith.addi %m, %c1 : index
  %first32 = memref.load %mat_start[%m] : memref<?xi32>
  %end32 = memref.load %mat_start[%m1] : memref<?xi32>
  %first = arith.index_cast %first32 : i32 to index
  %end = arith.index_cast %end32 : i32 to index
  %s:5 = scf.for %j = %first to %end step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero, %s4 = %zero)
      -> (f64, f64, f64, f64, f64) {
    %nuc32 = memref.load %mat_nuclide[%j] : memref<?xi32>
    %nuc = arith.index_cast %nuc32 : i32 to index
    %irow = arith.muli %lo, %n_nuclides : index
    %iat = arith.addi %irow, %nuc : index
    %point32 = memref.load %index[%iat] : memref<?xi32>
    %point = arith.index_cast %point32 : i32 to index
    %nrow = arith.muli %nuc, %n_points : index
    %at = arith.addi %nrow, %point : index
    %at1 = arith.addi %at, %c1 : index
    %e0 = memref.load %nuclide_energy[%at] : memref<?xf64>
    %e1 = memref.load %nuclide_energy[%at1] : memref<?xf64>
    %rest = arith.subf %e1, %e fastmath<fast> : f64
    %span = arith.subf %e1, %e0 fastmath<fast> : f64
    %f = arith.divf %rest, %span fastmath<fast> : f64
    %d = memref.load %mat_density[%j] : memref<?xf64>
    %a = arith.muli %at, %c5 : index
    %a1 = arith.addi %a, %c1 : index
    %a2 = arith.addi %a, %c2 : index
    %a3 = arith.addi %a, %c3 : index
    %a4 = arith.addi %a, %c4 : index
    %b = arith.addi %a, %c5 : index
    %b1 = arith.addi %b, %c1 : index
    %b2 = arith.addi %b, %c2 : index
    %b3 = arith.addi %b, %c3 : index
    %b4 = arith.addi %b, %c4 : index
    %t0 = func.call @channel(%xs, %a, %b, %f, %d, %s0)
        : (memref<?xf64>, index, index, f64, f64, f64) -> f64
    %t1 = func.call @channel(%xs, %a1, %b1, %f, %d, %s1)
        : (memref<?xf64>, index, index, f64, f64, f64) -> f64
    %t2 = func.call @channel(%xs, %a2, %b2, %f, %d, %s2)
        : (memref<?xf64>, index, index, f64, f64, f64) -> f64
    %t3 = func.call @channel(%xs, %a3, %b3, %f, %d, %s3)
        : (memref<?xf64>, index, index, f64, f64, f64) -> f64
    %t4 = func.call @channel(%xs, %a4, %b4, %f, %d, %s4)
        : (memref<?xf64>, index, index, f64, f64, f64) -> f64
    scf.yield %t0, %t1, %t2, %t3, %t4 : f64, f64, f64, f64, f64
  }
  %o0 = arith.muli %i, %c5 : index
  %o1 = arith.addi %o0, %c1 : index
  %o2 = arith.addi %o0, %c2 : index
  %o3 = arith.addi %o0, %c3 : index
  %o4 = arith.addi %o0, %c4 : index
  memref.store %s#0, %out[%o0] : memref<?xf64>
  memref.store %s#1, %out[%o1] : memref<?xf64>
  memref.store %s#2, %out[%o2] : memref<?xf64>
  memref.store %s#3, %out[%o3] : memref<?xf64>
  memref.store %s#4, %out[%o4] : memref<?xf64>
  spmd.return
}

// s + d * (b - f * (b - a)), with a and b from %xs
func.func private @channel(%xs: memref<?xf64>, %at_a: index, %at_b: index, %f: f64, %d: f64,
                           %s: f64) -> f64 {
  %a = memref.load %xs[%at_a] : memref<?xf64>
  %b = memref.load %xs[%at_b] : memref<?xf64>
  %span = arith.subf %b, %a fastmath<fast> : f64
  %part = arith.mulf %f, %span fastmath<fast> : f64
  %v = arith.subf %b, %part fastmath<fast> : f64
  %dv = arith.mulf %d, %v fastmath<fast> : f64
  %sum = arith.addf %s, %dv fastmath<fast> : f64
  func.return %sum : f64
}
