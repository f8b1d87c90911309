// do { ... barrier ... } while (i < flag): the trips are loaded, and at least one.
spmd.kernel @do_while(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
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
  %r, %trips = scf.while (%s = %v, %i = %one) : (i32, i32) -> (i32, i32) {
    memref.store %s, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    %e = memref.load %own[%c1] : memref<3xi32>
    memref.store %s, %own[%c1] : memref<3xi32>
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %t = arith.subi %w, %e : i32
    %j = arith.addi %i, %one : i32
    %more = arith.cmpi slt, %i, %flag : i32
    scf.condition(%more) %t, %j : i32, i32
  } do {
  ^bb0(%s: i32, %i: i32):
    scf.yield %s, %i : i32, i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
