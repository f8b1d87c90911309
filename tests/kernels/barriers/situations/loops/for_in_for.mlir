// Barriers in a loop in a loop, both with values of each work-item.
spmd.kernel @for_in_for(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
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
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v) -> (i32) {
    memref.store %a, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %e = memref.load %own[%i] : memref<3xi32>
    %b = arith.addi %a, %e : i32
    %d = scf.for %j = %c0 to %i step %c1 iter_args(%s = %b) -> (i32) {
      %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
      %t = arith.addi %s, %w : i32
      spmd.barrier
      %n = arith.muli %t, %seven : i32
      memref.store %n, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      scf.yield %n : i32
    }
    spmd.barrier
    memref.store %d, %own[%i] : memref<3xi32>
    scf.yield %d : i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
