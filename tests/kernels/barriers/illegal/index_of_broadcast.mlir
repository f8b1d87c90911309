// Not all name the same work-item.
spmd.kernel @index_of_broadcast(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %got = spmd.broadcast %v from %path across work_group : i32
  memref.store %got, %x[%item] : memref<?xi32>
  spmd.return
}
