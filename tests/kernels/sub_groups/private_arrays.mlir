// Private arrays and views of each lane's own, from one collective to the next.
spmd.kernel @private_arrays(%x: memref<?x4xi32>, %out: memref<?xi32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %mine = memref.alloca() : memref<4xi32>
  scf.for %k = %c0 to %c4 step %c1 {
    %v = memref.load %x[%i, %k] : memref<?x4xi32>
    %s = spmd.scan inclusive add %v across sub_group : i32
    memref.store %s, %mine[%k] : memref<4xi32>
  }
  %own = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<?x4xi32> to memref<4xi32, strided<[1], offset: ?>>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (i32) {
    %v = memref.load %mine[%k] : memref<4xi32>
    %m = spmd.reduce xor %v across sub_group : i32
    %w = memref.load %own[%k] : memref<4xi32, strided<[1], offset: ?>>
    %b = arith.addi %a, %m : i32
    %c = arith.addi %b, %w : i32
    scf.yield %c : i32
  }
  memref.store %sum, %out[%i] : memref<?xi32>
  spmd.return
}
