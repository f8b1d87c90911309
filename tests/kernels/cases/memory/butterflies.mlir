// Butterflies whose distance only the loop knows: lanes access neighbours in rows of 1, 2, 4
// ... 64. Later by an index of 32 bits, and only where a work-item takes part.
spmd.kernel @butterflies(%x: memref<7x?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c24 = arith.constant 24 : index
  %i = spmd.global_id x
  %i32 = arith.index_cast %i : index to i32
  %own = arith.andi %i, %c24 : index
  %takes_part = arith.cmpi ne, %own, %c0 : index
  %start_value = arith.index_cast %i : index to i32
  %sum = scf.for %shift = %c0 to %c7 step %c1 iter_args(%s = %start_value) -> (i32) {
    %distance = arith.shli %c1, %shift : index
    %block = arith.shrui %i, %shift : index
    %next = arith.addi %shift, %c1 : index
    %start = arith.shli %block, %next : index
    %below = arith.subi %distance, %c1 : index
    %offset = arith.andi %i, %below : index
    %left = arith.addi %start, %offset : index
    %right = arith.addi %left, %distance : index
    %a = memref.load %x[%shift, %left] : memref<7x?xi32>
    %b = memref.load %x[%shift, %right] : memref<7x?xi32>
    %both = arith.addi %a, %b : i32
    %difference = arith.subi %a, %b : i32
    memref.store %both, %x[%shift, %left] : memref<7x?xi32>
    memref.store %difference, %x[%shift, %right] : memref<7x?xi32>
    %more = scf.if %takes_part -> (i32) {
      %distance32 = arith.index_cast %distance : index to i32
      %other32 = arith.xori %i32, %distance32 : i32
      %other = arith.index_cast %other32 : i32 to index
      %c = memref.load %y[%other] : memref<?xi32>
      %t = arith.addi %s, %c : i32
      scf.yield %t : i32
    } else {
      scf.yield %s : i32
    }
    scf.yield %more : i32
  }
  memref.store %sum, %z[%i] : memref<?xi32>
  spmd.return
}
