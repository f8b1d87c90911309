// 5:8: expected floats in arith.cmpf, got index; write arith.cmpi
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.cmpf olt, %i, %i : index
  spmd.return
}
