// Collatz: steps until one, at most 100.
spmd.kernel @while_divergent(%x: memref<?xi64>, %steps: memref<?xi32>) {
  %i = spmd.global_id x
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %limit = arith.constant 100 : i32
  %start = memref.load %x[%i] : memref<?xi64>
  %last, %count = scf.while (%v = %start, %k = %c0) : (i64, i32) -> (i64, i32) {
    %big = arith.cmpi sgt, %v, %one : i64
    %allowed = arith.cmpi slt, %k, %limit : i32
    %more = arith.andi %big, %allowed : i1
    scf.condition(%more) %v, %k : i64, i32
  } do {
  ^bb0(%v: i64, %k: i32):
    %bit = arith.andi %v, %one : i64
    %odd = arith.cmpi ne, %bit, %zero : i64
    %next = scf.if %odd -> (i64) {
      %t = arith.muli %v, %three : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    } else {
      %h = arith.shrui %v, %one : i64
      scf.yield %h : i64
    }
    %k1 = arith.addi %k, %c1 : i32
    scf.yield %next, %k1 : i64, i32
  }
  memref.store %count, %steps[%i] : memref<?xi32>
  memref.store %last, %x[%i] : memref<?xi64>
  spmd.return
}
