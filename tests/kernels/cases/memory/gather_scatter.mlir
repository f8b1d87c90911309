// Loads and stores at positions that memory gives.
spmd.kernel @gather_scatter(%from: memref<?xi32>, %to: memref<?xi64>, %x: memref<?xf32>,
    %y: memref<?xf32>) {
  %i = spmd.global_id x
  %f = memref.load %from[%i] : memref<?xi32>
  %t = memref.load %to[%i] : memref<?xi64>
  %fi = arith.index_cast %f : i32 to index
  %ti = arith.index_cast %t : i64 to index
  %v = memref.load %x[%fi] : memref<?xf32>
  memref.store %v, %y[%ti] : memref<?xf32>
  spmd.return
}
