// for (i = 0; i < 2 + lid; i++) { ...; if (i < 2) { ...; barrier; ... } }
spmd.kernel @uneven_iterations(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %five = arith.constant 5 : index
  %some = arith.remui %lid, %five : index
  %trips = arith.addi %some, %c2 : index
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %v) -> (i32) {
    %early = arith.cmpi ult, %i, %c2 : index
    %n = arith.index_cast %i : index to i32
    %b = arith.addi %a, %n : i32
    %d = scf.if %early -> (i32) {
      memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
      %e = memref.load %own[%i] : memref<3xi32>
      %t = arith.addi %w, %e : i32
      memref.store %t, %own[%i] : memref<3xi32>
      spmd.barrier
      scf.yield %t : i32
    } else {
      %t = arith.muli %b, %seven : i32
      scf.yield %t : i32
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
