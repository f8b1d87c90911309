// Floats as bits, and counting bits.
spmd.kernel @bits(%x: memref<?xf32>, %n: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %b = arith.bitcast %v : f32 to i32
  %p = math.ctpop %b : i32
  %l = math.ctlz %b : i32
  %t = math.cttz %b : i32
  %s = arith.addi %p, %l : i32
  %u = arith.addi %s, %t : i32
  memref.store %u, %n[%i] : memref<?xi32>
  %m = arith.constant 2147483647 : i32
  %a = arith.andi %b, %m : i32
  %w = arith.bitcast %a : i32 to f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
