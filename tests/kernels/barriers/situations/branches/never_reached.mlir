// Barriers in code that is never run: known when compiling, and when running.
spmd.kernel @never_reached(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %false = arith.constant false
  %many = arith.constant 1000 : i32
  %never = arith.cmpi sgt, %flag, %many : i32
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %a = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
  %b = scf.if %false -> (i32) {
    spmd.barrier
    %w = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
    scf.yield %w : i32
  } else {
    %e = memref.load %own[%c1] : memref<3xi32>
    scf.yield %e : i32
  }
  %d = scf.if %never -> (i32) {
    spmd.barrier
    memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    memref.store %w, %own[%c1] : memref<3xi32>
    scf.yield %w : i32
  } else {
    scf.yield %b : i32
  }
  %f = scf.for %i = %c3 to %c1 step %c1 iter_args(%s = %d) -> (i32) {
    spmd.barrier
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    scf.yield %w : i32
  }
  %g = scf.index_switch %c2 -> i32
  case 1 {
    spmd.barrier
    scf.yield %a : i32
  }
  default {
    scf.yield %f : i32
  }
  %r = arith.addi %a, %g : i32
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
