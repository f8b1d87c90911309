spmd.kernel @vector_add(%c: memref<?xi32>, %a: memref<?xi32>, %b: memref<?xi32>) {
  %id = spmd.global_id x
  %va = memref.load %a[%id] : memref<?xi32>
  %vb = memref.load %b[%id] : memref<?xi32>
  %sum = arith.addi %va, %vb : i32
  memref.store %sum, %c[%id] : memref<?xi32>
  spmd.return
}
