// Control flow that is uniform because of ranges of which masks let less be known.
spmd.kernel @uniform_by_ranges(%x: memref<?xi32>, %y: memref<?xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %c125 = arith.constant 125 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %many = arith.constant 128 : i32
  %local = spmd.local_id x
  %global = spmd.global_id x
  %v = memref.load %x[%global] : memref<?xi32>
  %id = arith.index_cast %local : index to i32
  %size = arith.andi %n, %three : i32
  %size_1 = arith.addi %size, %one : i32
  %size_128 = arith.muli %size_1, %many : i32
  // 0, since ids are below 128; but lanes that do not exist divide by 1.
  %row = arith.divui %id, %size_128 : i32
  %a = scf.for %k = %c0 to %c3 step %c1 iter_args(%sum = %v) -> (i32) {
    %left = arith.subi %many, %row : i32
    %most = arith.maxui %id, %left : i32
    %in = arith.cmpi eq, %most, %many : i32
    %b = scf.if %in -> (i32) {
      memref.store %sum, %x[%global] : memref<?xi32>
      %t = arith.addi %sum, %id : i32
      scf.yield %t : i32
    } else {
      scf.yield %one : i32
    }
    %number = arith.index_cast %most : i32 to index
    %c = scf.index_switch %number -> i32
    case 128 {
      memref.store %b, %x[%global] : memref<?xi32>
      %t = arith.muli %b, %three : i32
      scf.yield %t : i32
    }
    default {
      scf.yield %zero : i32
    }
    %end = arith.subi %number, %c125 : index
    %d = scf.for %j = %c0 to %end step %c1 iter_args(%u = %c) -> (i32) {
      %w = memref.load %x[%global] : memref<?xi32>
      %t = arith.addi %u, %w : i32
      scf.yield %t : i32
    }
    %e, %last = scf.while (%u = %d, %j = %c0) : (i32, index) -> (i32, index) {
      %more = arith.cmpi ult, %j, %end : index
      scf.condition(%more) %u, %j : i32, index
    } do {
    ^bb0(%u: i32, %j: index):
      %w = memref.load %x[%global] : memref<?xi32>
      %t = arith.xori %u, %w : i32
      %next = arith.addi %j, %c1 : index
      scf.yield %t, %next : i32, index
    }
    scf.yield %e : i32
  }
  // The same where all lanes exist, after a branch that some take.
  %positive = arith.cmpi sgt, %v, %zero : i32
  %some_row = scf.if %positive -> (i32) {
    memref.store %a, %x[%global] : memref<?xi32>
    %t = arith.divui %id, %size_128 : i32
    scf.yield %t : i32
  } else {
    scf.yield %zero : i32
  }
  %f = scf.for %k = %c0 to %c3 step %c1 iter_args(%sum = %a) -> (i32) {
    %far = arith.muli %some_row, %many : i32
    %at = arith.addi %id, %far : i32
    %most = arith.maxui %at, %many : i32
    %in = arith.cmpi eq, %most, %many : i32
    %b = scf.if %in -> (i32) {
      memref.store %sum, %x[%global] : memref<?xi32>
      %t = arith.addi %sum, %at : i32
      scf.yield %t : i32
    } else {
      scf.yield %one : i32
    }
    scf.yield %b : i32
  }
  memref.store %f, %y[%global] : memref<?xi32>
  spmd.return
}
