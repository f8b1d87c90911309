// Barriers first, last, and two in a row; global memory is exchanged.
spmd.kernel @barriers_in_a_row(%x: memref<?xi32>, %y: memref<?xi32>) {
  spmd.barrier
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %y[%i] : memref<?xi32>
  spmd.barrier
  spmd.barrier
  %first = arith.subi %i, %l : index
  %next = arith.addi %l, %c1 : index
  %other = arith.remui %next, %n : index
  %at = arith.addi %first, %other : index
  %w = memref.load %y[%at] : memref<?xi32>
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.barrier
  spmd.return
}
