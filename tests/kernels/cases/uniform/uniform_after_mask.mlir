// Conditions in a loop that are uniform because of what is known of integers, which are
// computed next to accesses that need a mask.
spmd.kernel @uniform_after_mask(%x: memref<?xi32>, %y: memref<?xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %c64 = arith.constant 64 : i32
  %local = spmd.local_id x
  %global = spmd.global_id x
  %v = memref.load %x[%global] : memref<?xi32>
  %id = arith.index_cast %local : index to i32
  %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %v) -> (i32) {
    // Numbers that are not negative keep their distance as unsigned ones.
    %following = arith.addi %id, %one : i32
    %grows = arith.cmpi ult, %id, %following : i32
    %b = scf.if %grows -> (i32) {
      memref.store %a, %x[%global] : memref<?xi32>
      %w = arith.addi %a, %id : i32
      scf.yield %w : i32
    } else {
      scf.yield %one : i32
    }
    scf.yield %b : i32
  }
  // Work-items of a sub-group stand in one row; a division is for those that exist.
  %size = arith.andi %n, %three : i32
  %size_1 = arith.addi %size, %one : i32
  %size_64 = arith.muli %size_1, %c64 : i32
  %row = arith.divui %id, %size_64 : i32
  %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %r) -> (i32) {
    %start = arith.muli %row, %c64 : i32
    %after = arith.cmpi ult, %id, %start : i32
    %b = scf.if %after -> (i32) {
      scf.yield %one : i32
    } else {
      memref.store %a, %x[%global] : memref<?xi32>
      %t = arith.addi %a, %row : i32
      scf.yield %t : i32
    }
    scf.yield %b : i32
  }
  memref.store %s, %y[%global] : memref<?xi32>
  spmd.return
}
