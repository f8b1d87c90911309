// A branch on an argument, and one on a value that all work-items load.
spmd.kernel @if_uniform(%flag: i1, %mode: memref<1xi32>, %x: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %a = scf.if %flag -> (i32) {
    %t = arith.addi %v, %one : i32
    scf.yield %t : i32
  } else {
    %t = arith.subi %v, %one : i32
    scf.yield %t : i32
  }
  %m = memref.load %mode[%c0] : memref<1xi32>
  %is_one = arith.cmpi eq, %m, %one : i32
  scf.if %is_one {
    memref.store %a, %x[%i] : memref<?xi32>
  } else {
    %b = arith.muli %a, %a : i32
    memref.store %b, %x[%i] : memref<?xi32>
  }
  spmd.return
}
