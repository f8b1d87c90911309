// A private array that is allocated anew in every iteration.
spmd.kernel @private_in_loop(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %three = arith.constant 3 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.andi %v, %three : i32
  %at = arith.index_cast %low : i32 to index
  %r = scf.for %j = %c0 to %c3 step %c1 iter_args(%a = %v) -> (i32) {
    %p = memref.alloca() : memref<4xi32>
    %c4 = arith.constant 4 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %k32 = arith.index_cast %k : index to i32
      %t = arith.addi %a, %k32 : i32
      memref.store %t, %p[%k] : memref<4xi32>
    }
    %b = memref.load %p[%at] : memref<4xi32>
    %c = arith.muli %b, %three : i32
    scf.yield %c : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
