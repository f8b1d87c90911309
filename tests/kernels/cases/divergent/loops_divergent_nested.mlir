// Both the outer and the inner trip count differ between work-items.
spmd.kernel @loops_divergent_nested(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %shift = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.andi %v, %three : i32
  %rest = arith.shrui %v, %shift : i32
  %high = arith.andi %rest, %three : i32
  %outer = arith.index_cast %low : i32 to index
  %inner = arith.index_cast %high : i32 to index
  %r = scf.for %j = %c0 to %outer step %c1 iter_args(%a = %zero) -> (i32) {
    %end = arith.addi %inner, %j : index
    %s = scf.for %k = %j to %end step %c1 iter_args(%b = %a) -> (i32) {
      %k32 = arith.index_cast %k : index to i32
      %t = arith.addi %b, %k32 : i32
      %u = arith.addi %t, %one : i32
      scf.yield %u : i32
    }
    %odd = arith.andi %s, %one : i32
    %is_odd = arith.cmpi ne, %odd, %zero : i32
    scf.if %is_odd {
      memref.store %s, %x[%i] : memref<?xi32>
    }
    scf.yield %s : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
