// A barrier in some iterations of a loop with as many iterations for all.
spmd.kernel @iterations_of_some(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %go = arith.cmpi ult, %i, %path : index
    scf.if %go {
      spmd.barrier
      memref.store %one, %x[%item] : memref<?xi32>
    }
  }
  spmd.return
}
