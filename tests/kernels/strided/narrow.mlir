// 32 and 8 bits, downwards, with overflow, and a result that is used after the loop.
spmd.kernel @narrow(%iterations: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c3 = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %large = arith.constant 2147483000 : i32
  %ten = arith.constant 10 : i8
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %k = arith.index_cast %lid : index to i32
  %m = arith.muli %k, %c3 : i32
  %first = arith.subi %large, %m : i32
  %byte = arith.index_cast %lid : index to i8
  %zero = arith.constant 0 : i32
  %r:4 = scf.while (%i = %zero, %a = %first, %b = %byte, %sum = %zero) : (i32, i32, i8, i32) -> (i32, i32, i8, i32) {
    %more = arith.cmpi slt, %i, %iterations : i32
    scf.condition(%more) %i, %a, %b, %sum : i32, i32, i8, i32
  } do {
  ^bb0(%i: i32, %a: i32, %b: i8, %sum: i32):
    %v = memref.load %x[%gid] : memref<?xi32>
    spmd.barrier
    %wide = arith.extsi %b : i8 to i32
    %s = arith.addi %v, %a : i32
    %t = arith.addi %s, %wide : i32
    memref.store %t, %x[%gid] : memref<?xi32>
    spmd.barrier
    %next = arith.addi %i, %one : i32
    %a2 = arith.addi %a, %large : i32
    %b2 = arith.subi %b, %ten : i8
    %new = arith.addi %sum, %a2 : i32
    scf.yield %next, %a2, %b2, %new : i32, i32, i8, i32
  }
  %last = arith.extui %r#2 : i8 to i32
  %p = arith.addi %r#1, %last : i32
  %q = arith.addi %p, %r#3 : i32
  memref.store %q, %y[%gid] : memref<?xi32>
  spmd.return
}
