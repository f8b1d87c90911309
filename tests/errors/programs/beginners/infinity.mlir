// 5:24: expected a number, got 'inf'; write the bits, such as 0x7F800000 : f32 for inf, 0xFF800000 for -inf, 0x7FC00000 for nan
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.constant -inf : f32
  spmd.return
}
