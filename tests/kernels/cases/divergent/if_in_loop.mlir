// A divergent if in a uniform loop; only some iterations store.
spmd.kernel @if_in_loop(%n: index, %x: memref<?xi32>, %y: memref<?x4xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%bits = %v) -> (i32) {
    %bit = arith.andi %bits, %one : i32
    %set = arith.cmpi ne, %bit, %zero : i32
    scf.if %set {
      memref.store %bits, %y[%i, %j] : memref<?x4xi32>
    }
    %next = arith.shrui %bits, %one : i32
    scf.yield %next : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
