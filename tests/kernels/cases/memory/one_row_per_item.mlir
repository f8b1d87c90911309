// Each work-item sums its row: loads with the stride of a row.
spmd.kernel @one_row_per_item(%a: memref<?x7xf64>, %s: memref<?xf64>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %j = %c0 to %c7 step %c1 iter_args(%t = %zero) -> (f64) {
    %v = memref.load %a[%i, %j] : memref<?x7xf64>
    %u = arith.addf %t, %v : f64
    scf.yield %u : f64
  }
  memref.store %r, %s[%i] : memref<?xf64>
  spmd.return
}
