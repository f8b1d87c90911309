// Barriers in both branches of an if, in a switch, in loops in these; varying results.
spmd.kernel @branches(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  %flag = memref.load %flags[%group] : memref<?xi32>
  %odd = arith.trunci %flag : i32 to i1
  %last = arith.subi %size, %c1 : index
  %mirror = arith.subi %last, %lid : index
  %r, %u = scf.if %odd -> (i32, i32) {
    spmd.barrier
    %w = memref.load %tile[%mirror] : memref<256xi32, #spmd.memory<local>>
    %s = arith.addi %w, %flag : i32
    scf.yield %s, %flag : i32, i32
  } else {
    %acc = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %v) -> (i32) {
      spmd.barrier
      %w = memref.load %tile[%mirror] : memref<256xi32, #spmd.memory<local>>
      spmd.barrier
      %b = arith.addi %a, %w : i32
      memref.store %b, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
      scf.yield %b : i32
    }
    scf.yield %acc, %zero : i32, i32
  }
  %three = arith.constant 3 : i32
  %low = arith.andi %flag, %three : i32
  %which = arith.index_cast %low : i32 to index
  spmd.barrier
  memref.store %r, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  %q = scf.index_switch %which -> i32
  case 0 {
    spmd.barrier
    %w = memref.load %tile[%mirror] : memref<256xi32, #spmd.memory<local>>
    scf.yield %w : i32
  }
  case 2 {
    scf.yield %v : i32
  }
  default {
    %w0 = memref.load %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %w1 = memref.load %tile[%c0] : memref<256xi32, #spmd.memory<local>>
    %w = arith.addi %w0, %w1 : i32
    scf.yield %w : i32
  }
  %o = arith.addi %q, %u : i32
  memref.store %o, %x[%gid] : memref<?xi32>
  spmd.return
}
