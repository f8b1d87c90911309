// Work-items wait in the last iteration of their own loop: at one barrier, in different iterations.
spmd.kernel @iterations_of_their_own(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %own = memref.alloca() : memref<3xi32>
  %lid = func.call @local() : () -> index
  %next = func.call @next() : () -> index
  %item = func.call @item() : () -> index
  %group = func.call @group() : () -> index
  %flag = memref.load %flags[%group] : memref<?xi32>
  %v = memref.load %x[%item] : memref<?xi32>
  %twice = arith.muli %v, %seven : i32
  memref.store %v, %own[%c0] : memref<3xi32>
  memref.store %twice, %own[%c1] : memref<3xi32>
  memref.store %flag, %own[%c2] : memref<3xi32>
  %four = arith.constant 4 : index
  %some = arith.remui %lid, %four : index
  %trips = arith.addi %some, %c1 : index
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %v) -> (i32) {
    %n = arith.index_cast %i : index to i32
    %b = arith.addi %a, %n : i32
    %last = arith.cmpi eq, %i, %some : index
    %d = scf.if %last -> (i32) {
      memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
      %t = arith.addi %w, %n : i32
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
