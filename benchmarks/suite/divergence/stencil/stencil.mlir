spmd.kernel @stencil5(%out: memref<?xf32>, %in: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %eighth = arith.constant 0.125 : f32
  %x = spmd.global_id x
  %y = spmd.global_id y
  %last = arith.subi %n, %c1 : index
  %x0 = arith.cmpi eq, %x, %c0 : index
  %y0 = arith.cmpi eq, %y, %c0 : index
  %x1 = arith.cmpi eq, %x, %last : index
  %y1 = arith.cmpi eq, %y, %last : index
  %e1 = arith.ori %x0, %y0 : i1
  %e2 = arith.ori %e1, %x1 : i1
  %edge = arith.ori %e2, %y1 : i1
  cf.cond_br %edge, ^done, ^inside
^inside:
  %row = arith.muli %y, %n : index
  %c = arith.addi %row, %x : index
  %w = arith.subi %c, %c1 : index
  %e = arith.addi %c, %c1 : index
  %s = arith.subi %c, %n : index
  %t = arith.addi %c, %n : index
  %vc = memref.load %in[%c] : memref<?xf32>
  %vw = memref.load %in[%w] : memref<?xf32>
  %ve = memref.load %in[%e] : memref<?xf32>
  %vs = memref.load %in[%s] : memref<?xf32>
  %vt = memref.load %in[%t] : memref<?xf32>
  %s1 = arith.addf %vw, %ve fastmath<fast> : f32
  %s2 = arith.addf %s1, %vs fastmath<fast> : f32
  %s3 = arith.addf %s2, %vt fastmath<fast> : f32
  %p = arith.mulf %half, %vc fastmath<fast> : f32
  %q = arith.mulf %eighth, %s3 fastmath<fast> : f32
  %r = arith.addf %p, %q fastmath<fast> : f32
  memref.store %r, %out[%c] : memref<?xf32>
  spmd.return
^done:
  spmd.return
}

spmd.kernel @stencil9(%out: memref<?xf64>, %in: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninth = arith.constant 0.1111111111111111 : f64
  %x = spmd.global_id x
  %y = spmd.global_id y
  %last = arith.subi %n, %c1 : index
  %x0 = arith.cmpi eq, %x, %c0 : index
  %y0 = arith.cmpi eq, %y, %c0 : index
  %x1 = arith.cmpi eq, %x, %last : index
  %y1 = arith.cmpi eq, %y, %last : index
  %e1 = arith.ori %x0, %y0 : i1
  %e2 = arith.ori %e1, %x1 : i1
  %edge = arith.ori %e2, %y1 : i1
  cf.cond_br %edge, ^done, ^inside
^inside:
  %row = arith.muli %y, %n : index
  %c = arith.addi %row, %x : index
  %s = arith.subi %c, %n : index
  %t = arith.addi %c, %n : index
  %below = func.call @three(%in, %s) : (memref<?xf64>, index) -> f64
  %here = func.call @three(%in, %c) : (memref<?xf64>, index) -> f64
  %above = func.call @three(%in, %t) : (memref<?xf64>, index) -> f64
  %some = arith.addf %below, %here fastmath<fast> : f64
  %all = arith.addf %some, %above fastmath<fast> : f64
  %mean = arith.mulf %all, %ninth fastmath<fast> : f64
  memref.store %mean, %out[%c] : memref<?xf64>
  spmd.return
^done:
  spmd.return
}

// The sum of three neighbours in a row, %at in the middle.
func.func private @three(%in: memref<?xf64>, %at: index) -> f64 {
  %c1 = arith.constant 1 : index
  %w = arith.subi %at, %c1 : index
  %e = arith.addi %at, %c1 : index
  %vw = memref.load %in[%w] : memref<?xf64>
  %vc = memref.load %in[%at] : memref<?xf64>
  %ve = memref.load %in[%e] : memref<?xf64>
  %wc = arith.addf %vw, %vc fastmath<fast> : f64
  %sum = arith.addf %wc, %ve fastmath<fast> : f64
  func.return %sum : f64
}
