// Collectives that work-items come to in different iterations.
spmd.kernel @collectives_in_uneven_iterations(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
  %own = memref.alloca() : memref<3xi32>
  %lid = func.call @local() : () -> index
  %item = func.call @item() : () -> index
  %group = func.call @group() : () -> index
  %flag = memref.load %flags[%group] : memref<?xi32>
  %v = memref.load %x[%item] : memref<?xi32>
  %twice = arith.muli %v, %seven : i32
  memref.store %v, %own[%c0] : memref<3xi32>
  memref.store %twice, %own[%c1] : memref<3xi32>
  memref.store %flag, %own[%c2] : memref<3xi32>
  %three = arith.constant 3 : index
  %some = arith.remui %lid, %three : index
  %trips = arith.addi %some, %c2 : index
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %v) -> (i32) {
    %meet = arith.cmpi uge, %i, %some : index
    %e = memref.load %own[%c1] : memref<3xi32>
    %b = arith.addi %a, %e : i32
    %d = scf.if %meet -> (i32) {
      %sum = spmd.reduce add %b across work_group : i32
      %upto = spmd.scan inclusive max %b across work_group : i32
      %t = arith.xori %sum, %upto : i32
      scf.yield %t : i32
    } else {
      memref.store %b, %own[%c1] : memref<3xi32>
      scf.yield %b : i32
    }
    scf.yield %d : i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
