// The price of a European call and put option by the formula of Black and Scholes. The
// normal distribution is the polynomial of Abramowitz and Stegun, 26.2.17, which needs
// the sign of its argument: a branch that some work-items take and some do not.

// Standard normal distribution: the probability of a value below d.
func.func private @normal_below(%d: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant -0.5 : f32
  %scale = arith.constant 0.3989422804 : f32
  %gamma = arith.constant 0.2316419 : f32
  %b1 = arith.constant 0.319381530 : f32
  %b2 = arith.constant -0.356563782 : f32
  %b3 = arith.constant 1.781477937 : f32
  %b4 = arith.constant -1.821255978 : f32
  %b5 = arith.constant 1.330274429 : f32
  %size = math.absf %d : f32
  %gd = arith.mulf %gamma, %size : f32
  %denominator = arith.addf %one, %gd : f32
  %k = arith.divf %one, %denominator : f32
  %p4 = arith.mulf %k, %b5 : f32
  %q4 = arith.addf %b4, %p4 : f32
  %p3 = arith.mulf %k, %q4 : f32
  %q3 = arith.addf %b3, %p3 : f32
  %p2 = arith.mulf %k, %q3 : f32
  %q2 = arith.addf %b2, %p2 : f32
  %p1 = arith.mulf %k, %q2 : f32
  %q1 = arith.addf %b1, %p1 : f32
  %polynomial = arith.mulf %k, %q1 : f32
  %square = arith.mulf %d, %d : f32
  %exponent = arith.mulf %half, %square : f32
  %bell = math.exp %exponent : f32
  %density = arith.mulf %scale, %bell : f32
  %above = arith.mulf %density, %polynomial : f32
  %positive = arith.cmpf ogt, %d, %zero : f32
  %below = scf.if %positive -> (f32) {
    %rest = arith.subf %one, %above : f32
    scf.yield %rest : f32
  } else {
    scf.yield %above : f32
  }
  func.return %below : f32
}

spmd.kernel @black_scholes(
    %price: memref<?xf32>, %strike: memref<?xf32>, %years: memref<?xf32>,
    %rate: f32, %volatility: f32, %call: memref<?xf32>, %put: memref<?xf32>) {
  %half = arith.constant 0.5 : f32
  %i = spmd.global_id x
  %s = memref.load %price[%i] : memref<?xf32>
  %x = memref.load %strike[%i] : memref<?xf32>
  %t = memref.load %years[%i] : memref<?xf32>

  // d1 = (ln(s / x) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t)
  %root = math.sqrt %t : f32
  %spread = arith.mulf %volatility, %root : f32
  %ratio = arith.divf %s, %x : f32
  %log = math.log %ratio : f32
  %v2 = arith.mulf %volatility, %volatility : f32
  %v2half = arith.mulf %half, %v2 : f32
  %drift = arith.addf %rate, %v2half : f32
  %growth = arith.mulf %drift, %t : f32
  %sum = arith.addf %log, %growth : f32
  %d1 = arith.divf %sum, %spread : f32
  %d2 = arith.subf %d1, %spread : f32
  %n1 = func.call @normal_below(%d1) : (f32) -> f32
  %n2 = func.call @normal_below(%d2) : (f32) -> f32

  // call = s * n1 - x * exp(-r * t) * n2, put = call + x * exp(-r * t) - s
  %rt = arith.mulf %rate, %t : f32
  %minus = arith.negf %rt : f32
  %discount = math.exp %minus : f32
  %xd = arith.mulf %x, %discount : f32
  %sn1 = arith.mulf %s, %n1 : f32
  %xdn2 = arith.mulf %xd, %n2 : f32
  %c = arith.subf %sn1, %xdn2 : f32
  %owed = arith.addf %c, %xd : f32
  %p = arith.subf %owed, %s : f32
  memref.store %c, %call[%i] : memref<?xf32>
  memref.store %p, %put[%i] : memref<?xf32>
  spmd.return
}
