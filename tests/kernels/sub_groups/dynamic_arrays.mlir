// Arrays of sizes that lanes read, used on both sides of what they do together; under a
// mask, where inactive lanes divide by zero for their size; another in each iteration of a
// divergent loop.
spmd.kernel @dynamic_arrays(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %gid = arith.addi %before, %gx : index
  %lid = spmd.local_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %len = arith.addi %n, %c1 : index
  %a = memref.alloca(%len) : memref<?xi32>
  scf.for %i = %c0 to %len step %c1 {
    %ii = arith.index_cast %i : index to i32
    %w = arith.addi %v, %ii : i32
    memref.store %w, %a[%i] : memref<?xi32>
  }
  %m = arith.remui %lid, %c3 : index
  %odd = arith.cmpi eq, %m, %c1 : index
  %r = scf.if %odd -> (i32) {
    %k = arith.divui %lid, %m : index
    %l0 = arith.remui %k, %m : index
    %l = arith.addi %l0, %c3 : index
    %b = memref.alloca(%l, %len) : memref<?x2x?xi32>
    memref.store %v, %b[%c1, %c1, %n] : memref<?x2x?xi32>
    %s = spmd.reduce add %v across sub_group : i32
    %q = memref.load %b[%c1, %c1, %n] : memref<?x2x?xi32>
    %d = memref.dim %b, %c0 : memref<?x2x?xi32>
    %dd = arith.index_cast %d : index to i32
    %t0 = arith.addi %s, %q : i32
    %t = arith.addi %t0, %dd : i32
    scf.yield %t : i32
  } else {
    scf.yield %v : i32
  }
  %sum = scf.for %i = %c0 to %lid step %c1 iter_args(%acc = %r) -> (i32) {
    %j = arith.addi %i, %c1 : index
    %e = memref.alloca(%j) : memref<?xi32>
    memref.store %acc, %e[%i] : memref<?xi32>
    %s = spmd.reduce add %acc across sub_group : i32
    %f = memref.load %e[%i] : memref<?xi32>
    %g = arith.xori %f, %s : i32
    scf.yield %g : i32
  }
  %u = memref.load %a[%n] : memref<?xi32>
  %all = spmd.reduce xor %u across sub_group : i32
  %o = arith.addi %all, %sum : i32
  memref.store %o, %x[%gid] : memref<?xi32>
  spmd.return
}
