// A function that some leave before its barrier, called twice.
func.func private @meet(%go: i1) {
  scf.if %go {
    spmd.barrier
  }
  func.return
}
spmd.kernel @in_function(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %some = arith.cmpi ne, %path, %c0 : index
  %always = arith.cmpi eq, %c0, %c0 : index
  func.call @meet(%always) : (i1) -> ()
  memref.store %one, %x[%item] : memref<?xi32>
  func.call @meet(%some) : (i1) -> ()
  spmd.return
}
