// A different number of barriers in each case, none in one.
spmd.kernel @index_switch(%x: memref<?xi32>, %flags: memref<?xi32>) {
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
  %three = arith.constant 3 : i32
  %bits = arith.andi %flag, %three : i32
  %which = arith.index_cast %bits : i32 to index
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %r = scf.index_switch %which -> i32
  case 0 {
    %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    memref.store %w, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %u = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
    %s = arith.addi %u, %v : i32
    scf.yield %s : i32
  }
  case 1 {
    %e = memref.load %own[%c1] : memref<3xi32>
    spmd.barrier
    scf.yield %e : i32
  }
  case 2 {
    scf.yield %v : i32
  }
  default {
    %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v) -> (i32) {
      %w = memref.load %tile[%next] : memref<256xi32, #spmd.memory<local>>
      %b = arith.addi %a, %w : i32
      spmd.barrier
      memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      memref.store %b, %own[%i] : memref<3xi32>
      spmd.barrier
      scf.yield %b : i32
    }
    scf.yield %s : i32
  }
  %kept = memref.load %own[%c1] : memref<3xi32>
  %scaled = arith.muli %r, %seven : i32
  %mixed = arith.subi %scaled, %kept : i32
  %out = arith.addi %mixed, %v : i32
  memref.store %out, %x[%item] : memref<?xi32>
  spmd.return
}
