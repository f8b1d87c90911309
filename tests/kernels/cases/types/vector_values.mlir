// Each work-item computes with short vectors of its own.
spmd.kernel @vector_values(%x: memref<?xf32>, %s: memref<?xf32>) {
  %i = spmd.global_id x
  %c4 = arith.constant 4 : index
  %at = arith.muli %i, %c4 : index
  %v = vector.load %x[%at] : memref<?xf32>, vector<4xf32>
  %w = arith.mulf %v, %v : vector<4xf32>
  %sum = vector.reduction <add>, %w : vector<4xf32> into f32
  %all = vector.broadcast %sum : f32 to vector<4xf32>
  %r = arith.subf %v, %all : vector<4xf32>
  vector.store %r, %x[%at] : memref<?xf32>, vector<4xf32>
  memref.store %sum, %s[%i] : memref<?xf32>
  spmd.return
}
