// As many barriers as memory says.
spmd.kernel @for_of_trips(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  scf.for %i = %c0 to %path step %c1 {
    spmd.barrier
    %old = memref.load %x[%item] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %x[%item] : memref<?xi32>
  }
  spmd.return
}
