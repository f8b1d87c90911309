// 5:8: expected integers in arith.addi, got f32; write arith.addf
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addi %v, %v : f32
  spmd.return
}
