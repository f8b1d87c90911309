// Each path has a barrier of its own.
spmd.kernel @own_barriers(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %first = arith.cmpi eq, %path, %c0 : index
  scf.if %first {
    spmd.barrier
    memref.store %one, %x[%item] : memref<?xi32>
  } else {
    %some = spmd.any %first across work_group
    memref.store %one, %x[%item] : memref<?xi32>
  }
  spmd.return
}
