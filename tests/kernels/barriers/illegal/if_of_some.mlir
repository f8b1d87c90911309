// A barrier where the condition is true.
spmd.kernel @if_of_some(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %go = arith.cmpi ne, %path, %c0 : index
  scf.if %go {
    memref.store %one, %x[%item] : memref<?xi32>
    spmd.barrier
  }
  spmd.return
}
