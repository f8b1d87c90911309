// A sparse matrix times a vector: a loop of its own length for each row, with gathers.
spmd.kernel @sparse_rows(%start: memref<?xi32>, %column: memref<?xi32>,
    %value: memref<?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %next = arith.addi %i, %c1 : index
  %a = memref.load %start[%i] : memref<?xi32>
  %b = memref.load %start[%next] : memref<?xi32>
  %from = arith.index_cast %a : i32 to index
  %to = arith.index_cast %b : i32 to index
  %r = scf.for %j = %from to %to step %c1 iter_args(%s = %zero) -> (f32) {
    %c = memref.load %column[%j] : memref<?xi32>
    %k = arith.index_cast %c : i32 to index
    %v = memref.load %value[%j] : memref<?xf32>
    %w = memref.load %x[%k] : memref<?xf32>
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    scf.yield %t : f32
  }
  memref.store %r, %y[%i] : memref<?xf32>
  spmd.return
}
