// A divergent switch with stores and a result.
spmd.kernel @index_switch(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %three = arith.constant 3 : i32
  %minus = arith.constant -1 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.andi %v, %three : i32
  %case = arith.index_cast %low : i32 to index
  %r = scf.index_switch %case -> i32
  case 0 {
    scf.yield %v : i32
  }
  case 1 {
    %a = arith.addi %v, %v : i32
    memref.store %three, %y[%i] : memref<?xi32>
    scf.yield %a : i32
  }
  case 3 {
    %b = arith.muli %v, %v : i32
    scf.yield %b : i32
  }
  default {
    scf.yield %minus : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
