// Every work-item has its own trip count.
spmd.kernel @for_divergent(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mask = arith.constant 7 : i32
  %start = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %few = arith.andi %v, %mask : i32
  %trips = arith.index_cast %few : i32 to index
  %r = scf.for %j = %c0 to %trips step %c1 iter_args(%acc = %start) -> (i32) {
    %m = arith.muli %acc, %three : i32
    %j32 = arith.index_cast %j : index to i32
    %s = arith.addi %m, %j32 : i32
    scf.yield %s : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
