// Cumulative normal distribution, Abramowitz-Stegun 26.2.17.
func.func private @cnd(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %minus_half = arith.constant -0.5 : f32
  %scale = arith.constant 0.39894228040 : f32
  %gamma = arith.constant 0.2316419 : f32
  %b1 = arith.constant 0.319381530 : f32
  %b2 = arith.constant -0.356563782 : f32
  %b3 = arith.constant 1.781477937 : f32
  %b4 = arith.constant -1.821255978 : f32
  %b5 = arith.constant 1.330274429 : f32
  %size = math.absf %x fastmath<fast> : f32
  %gx = arith.mulf %gamma, %size fastmath<fast> : f32
  %gx1 = arith.addf %one, %gx fastmath<fast> : f32
  %k = arith.divf %one, %gx1 fastmath<fast> : f32
  %k5 = arith.mulf %k, %b5 fastmath<fast> : f32
  %q4 = arith.addf %b4, %k5 fastmath<fast> : f32
  %k4 = arith.mulf %k, %q4 fastmath<fast> : f32
  %q3 = arith.addf %b3, %k4 fastmath<fast> : f32
  %k3 = arith.mulf %k, %q3 fastmath<fast> : f32
  %q2 = arith.addf %b2, %k3 fastmath<fast> : f32
  %k2 = arith.mulf %k, %q2 fastmath<fast> : f32
  %q1 = arith.addf %b1, %k2 fastmath<fast> : f32
  %p = arith.mulf %k, %q1 fastmath<fast> : f32
  %half_x = arith.mulf %minus_half, %x fastmath<fast> : f32
  %exponent = arith.mulf %half_x, %x fastmath<fast> : f32
  %bell = math.exp %exponent fastmath<fast> : f32
  %density = arith.mulf %scale, %bell fastmath<fast> : f32
  %w = arith.mulf %density, %p fastmath<fast> : f32
  %positive = arith.cmpf ogt, %x, %zero fastmath<fast> : f32
  %rest = arith.subf %one, %w fastmath<fast> : f32
  %below = arith.select %positive, %rest, %w : f32
  func.return %below : f32
}

spmd.kernel @black_scholes(%call: memref<?xf32>, %put: memref<?xf32>, %spot: memref<?xf32>,
                           %strike: memref<?xf32>, %years: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %r = arith.constant 0.02 : f32
  %sigma = arith.constant 0.30 : f32
  %minus_r = arith.constant -0.02 : f32
  %i = spmd.global_id x
  %s = memref.load %spot[%i] : memref<?xf32>
  %x = memref.load %strike[%i] : memref<?xf32>
  %t = memref.load %years[%i] : memref<?xf32>
  %sq = math.sqrt %t fastmath<fast> : f32
  %ratio = arith.divf %s, %x fastmath<fast> : f32
  %log = math.log %ratio fastmath<fast> : f32
  %half_sigma = arith.mulf %half, %sigma fastmath<fast> : f32
  %half_sigma2 = arith.mulf %half_sigma, %sigma fastmath<fast> : f32
  %drift = arith.addf %r, %half_sigma2 fastmath<fast> : f32
  %growth = arith.mulf %drift, %t fastmath<fast> : f32
  %sum = arith.addf %log, %growth fastmath<fast> : f32
  %spread = arith.mulf %sigma, %sq fastmath<fast> : f32
  %d1 = arith.divf %sum, %spread fastmath<fast> : f32
  %d2 = arith.subf %d1, %spread fastmath<fast> : f32
  %n1 = func.call @cnd(%d1) : (f32) -> f32
  %n2 = func.call @cnd(%d2) : (f32) -> f32
  %rt = arith.mulf %minus_r, %t fastmath<fast> : f32
  %discount = math.exp %rt fastmath<fast> : f32
  %e = arith.mulf %x, %discount fastmath<fast> : f32
  %sn1 = arith.mulf %s, %n1 fastmath<fast> : f32
  %en2 = arith.mulf %e, %n2 fastmath<fast> : f32
  %c = arith.subf %sn1, %en2 fastmath<fast> : f32
  memref.store %c, %call[%i] : memref<?xf32>
  %m2 = arith.subf %one, %n2 fastmath<fast> : f32
  %m1 = arith.subf %one, %n1 fastmath<fast> : f32
  %em2 = arith.mulf %e, %m2 fastmath<fast> : f32
  %sm1 = arith.mulf %s, %m1 fastmath<fast> : f32
  %p = arith.subf %em2, %sm1 fastmath<fast> : f32
  memref.store %p, %put[%i] : memref<?xf32>
  spmd.return
}
