// Loads run backwards, stores forwards.
spmd.kernel @reversed(%x: memref<?xi16>, %y: memref<?xi16>) {
  %i = spmd.global_id x
  %n = spmd.global_size x
  %c1 = arith.constant 1 : index
  %last = arith.subi %n, %c1 : index
  %j = arith.subi %last, %i : index
  %v = memref.load %x[%j] : memref<?xi16>
  memref.store %v, %y[%i] : memref<?xi16>
  spmd.return
}
