// Votes of all lanes, and of the lanes in each branch.
spmd.kernel @votes(%x: memref<?xi32>, %bits: memref<?x3xi64>, %flags: memref<?x7xi1>) {
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
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %yes = arith.constant true
  %v = memref.load %x[%i] : memref<?xi32>
  %bit = arith.andi %v, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  %low = arith.andi %v, %three : i32
  %small = arith.cmpi eq, %low, %zero : i32
  %any = spmd.any %odd across sub_group
  %all = spmd.all %odd across sub_group
  %ballot = spmd.ballot %odd : i64
  %first = spmd.elect
  %p, %q, %r, %s = scf.if %odd -> (i64, i1, i1, i1) {
    %b = spmd.ballot %yes : i64
    %e = spmd.elect
    %a = spmd.any %small across sub_group
    %c = spmd.all %odd across sub_group
    scf.yield %b, %e, %a, %c : i64, i1, i1, i1
  } else {
    %b = spmd.ballot %small : i64
    %e = spmd.elect
    %a = spmd.any %small across sub_group
    %c = spmd.all %small across sub_group
    scf.yield %b, %e, %a, %c : i64, i1, i1, i1
  }
  %again = spmd.ballot %q : i64
  memref.store %ballot, %bits[%i, %c0] : memref<?x3xi64>
  memref.store %p, %bits[%i, %c1] : memref<?x3xi64>
  memref.store %again, %bits[%i, %c2] : memref<?x3xi64>
  memref.store %any, %flags[%i, %c0] : memref<?x7xi1>
  memref.store %all, %flags[%i, %c1] : memref<?x7xi1>
  memref.store %first, %flags[%i, %c2] : memref<?x7xi1>
  memref.store %q, %flags[%i, %c3] : memref<?x7xi1>
  memref.store %r, %flags[%i, %c4] : memref<?x7xi1>
  memref.store %s, %flags[%i, %c5] : memref<?x7xi1>
  memref.store %odd, %flags[%i, %c6] : memref<?x7xi1>
  spmd.return
}
