// A division that would trap in the work-items that must not reach it.
spmd.kernel @division_under_mask(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %a = memref.load %x[%i] : memref<?xi32>
  %b = memref.load %y[%i] : memref<?xi32>
  %safe = arith.cmpi ne, %b, %zero : i32
  %r = scf.if %safe -> (i32) {
    %q = arith.divui %a, %b : i32
    %m = arith.remui %a, %b : i32
    %s = arith.addi %q, %m : i32
    scf.yield %s : i32
  } else {
    scf.yield %zero : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
