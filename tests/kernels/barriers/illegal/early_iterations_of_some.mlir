// A barrier in the first iteration of a loop that some do not enter: its condition is the same in
// all work-items of one iteration.
spmd.kernel @early_iterations_of_some(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  scf.for %i = %c0 to %path step %c1 {
    %early = arith.cmpi ult, %i, %c1 : index
    scf.if %early {
      spmd.barrier
    }
    %old = memref.load %x[%item] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %x[%item] : memref<?xi32>
  }
  spmd.return
}
