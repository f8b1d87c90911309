// Relax every pair through node k.
spmd.kernel @floyd_warshall(%distance: memref<?xi32>, %path: memref<?xi32>, %n32: i32, %k32: i32) {
  %n = arith.index_cast %n32 : i32 to index
  %k = arith.index_cast %k32 : i32 to index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %row = arith.muli %y, %n : index
  %at = arith.addi %row, %x : index
  %at_k = arith.addi %row, %k : index
  %row_k = arith.muli %k, %n : index
  %from_k = arith.addi %row_k, %x : index
  %old = memref.load %distance[%at] : memref<?xi32>
  %to = memref.load %distance[%at_k] : memref<?xi32>
  %from = memref.load %distance[%from_k] : memref<?xi32>
  %via = arith.addi %to, %from : i32
  %shorter = arith.cmpi ult, %via, %old : i32
  scf.if %shorter {
    memref.store %via, %distance[%at] : memref<?xi32>
    memref.store %k32, %path[%at] : memref<?xi32>
  }
  spmd.return
}
