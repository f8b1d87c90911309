// Casts between integers, floats and index.
spmd.kernel @casts(%x: memref<?xf32>, %h: memref<?xf16>, %b: memref<?xbf16>,
    %d: memref<?xf64>, %i8: memref<?xi8>, %i32: memref<?xi32>, %i64: memref<?xi64>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %toh = arith.truncf %v : f32 to f16
  %tob = arith.truncf %v : f32 to bf16
  %tod = arith.extf %v : f32 to f64
  %toi = arith.fptosi %v : f32 to i32
  %back = arith.sitofp %toi : i32 to f64
  %sum = arith.addf %tod, %back : f64
  memref.store %toh, %h[%i] : memref<?xf16>
  memref.store %tob, %b[%i] : memref<?xbf16>
  memref.store %sum, %d[%i] : memref<?xf64>
  %s = memref.load %i8[%i] : memref<?xi8>
  %w = arith.extsi %s : i8 to i32
  %u = arith.extui %s : i8 to i64
  %f = arith.uitofp %s : i8 to f32
  memref.store %w, %i32[%i] : memref<?xi32>
  %l = memref.load %i64[%i] : memref<?xi64>
  %lf = arith.sitofp %l : i64 to f32
  %luf = arith.uitofp %l : i64 to f32
  %g = arith.addf %lf, %luf : f32
  %k = arith.addf %g, %f : f32
  memref.store %k, %x[%i] : memref<?xf32>
  %t = arith.trunci %l : i64 to i8
  memref.store %t, %i8[%i] : memref<?xi8>
  memref.store %u, %i64[%i] : memref<?xi64>
  spmd.return
}
