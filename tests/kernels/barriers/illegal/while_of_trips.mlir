// As many collectives as memory says, in a loop that carries values.
spmd.kernel @while_of_trips(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %n, %r = scf.while (%n = %path, %r = %v) : (index, i32) -> (index, i32) {
    %more = arith.cmpi ne, %n, %c0 : index
    scf.condition(%more) %n, %r : index, i32
  } do {
  ^bb0(%n: index, %r: i32):
    %less = arith.subi %n, %c1 : index
    %next = spmd.reduce max %r across work_group : i32
    scf.yield %less, %next : index, i32
  }
  memref.store %r, %x[%item] : memref<?xi32>
  spmd.return
}
