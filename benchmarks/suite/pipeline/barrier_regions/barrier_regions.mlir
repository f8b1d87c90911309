spmd.kernel @barrier_regions(%a: memref<?xi32>, %b: memref<?xi32>) {
  %four = arith.constant 4 : i32
  %id = spmd.global_id x
  %va = memref.load %a[%id] : memref<?xi32>
  %wa = arith.addi %va, %four : i32
  memref.store %wa, %a[%id] : memref<?xi32>
  spmd.barrier
  %vb = memref.load %b[%id] : memref<?xi32>
  %wb = arith.addi %vb, %four : i32
  memref.store %wb, %b[%id] : memref<?xi32>
  spmd.return
}
