// A barrier in some rounds of a loop with as many rounds for all.
spmd.kernel @rounds_of_some(%ways: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %way = memref.load %ways[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %go = arith.cmpi ult, %i, %way : index
    scf.if %go {
      spmd.barrier
      memref.store %one, %x[%item] : memref<?xi32>
    }
  }
  spmd.return
}
