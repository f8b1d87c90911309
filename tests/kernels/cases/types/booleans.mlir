// Arrays of i1, one byte each.
spmd.kernel @booleans(%x: memref<?xi1>, %y: memref<?xi1>, %n: memref<?xi32>) {
  %i = spmd.global_id x
  %true = arith.constant true
  %a = memref.load %x[%i] : memref<?xi1>
  %b = memref.load %y[%i] : memref<?xi1>
  %c = arith.andi %a, %b : i1
  %d = arith.xori %c, %true : i1
  %e = arith.ori %a, %b : i1
  memref.store %d, %x[%i] : memref<?xi1>
  memref.store %e, %y[%i] : memref<?xi1>
  %f = arith.extui %d : i1 to i32
  %g = arith.extsi %e : i1 to i32
  %h = arith.subi %f, %g : i32
  memref.store %h, %n[%i] : memref<?xi32>
  spmd.return
}
