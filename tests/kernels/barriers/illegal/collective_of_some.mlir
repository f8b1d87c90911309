// A collective where the condition is true; nobody needs its result.
spmd.kernel @collective_of_some(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %go = arith.cmpi ne, %path, %c0 : index
  scf.if %go {
    %sum = spmd.reduce add %v across work_group : i32
    memref.store %one, %x[%item] : memref<?xi32>
  }
  spmd.return
}
