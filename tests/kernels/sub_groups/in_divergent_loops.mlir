// Collectives of the lanes that are still in a loop, which others have left.
spmd.kernel @in_divergent_loops(%x: memref<?xindex>, %out: memref<?x4xi64>) {
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
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %yes = arith.constant true
  %n = memref.load %x[%i] : memref<?xindex>
  %sum, %ballots = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %b = %zero) -> (i64, i64) {
    %alive = spmd.reduce add %one across sub_group : i64
    %more = arith.addi %s, %alive : i64
    %here = spmd.ballot %yes : i64
    %both = arith.xori %b, %here : i64
    scf.yield %more, %both : i64, i64
  }
  memref.store %sum, %out[%i, %c0] : memref<?x4xi64>
  memref.store %ballots, %out[%i, %c1] : memref<?x4xi64>
  // Lanes leave when the largest of those that are left is theirs.
  %iterations, %seen = scf.while (%r = %zero, %m = %c0) : (i64, index) -> (i64, index) {
    %top = spmd.reduce max %n across sub_group : index
    %stay = arith.cmpi slt, %n, %top : index
    %next = arith.addi %r, %one : i64
    scf.condition(%stay) %next, %top : i64, index
  } do {
  ^bb0(%r: i64, %m: index):
    scf.yield %r, %m : i64, index
  }
  %wide = arith.index_cast %seen : index to i64
  memref.store %iterations, %out[%i, %c2] : memref<?x4xi64>
  memref.store %wide, %out[%i, %c3] : memref<?x4xi64>
  spmd.return
}
