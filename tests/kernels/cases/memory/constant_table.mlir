// A table of constants that is the same for all.
memref.global "private" constant @table : memref<5xf32> = dense<[1.5, -2.0, 0.25, 8.0, 3.0]>
spmd.kernel @constant_table(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c5 = arith.constant 5 : index
  %t = memref.get_global @table : memref<5xf32>
  %j = arith.remui %i, %c5 : index
  %v = memref.load %t[%j] : memref<5xf32>
  %w = memref.load %x[%i] : memref<?xf32>
  %p = arith.mulf %v, %w : f32
  memref.store %p, %x[%i] : memref<?xf32>
  spmd.return
}
