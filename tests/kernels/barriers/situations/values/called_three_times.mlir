// A function with barriers, local memory and a private array of its own, called at
// two places, one of them in a loop.
func.func private @rotated(%v: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %mine = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %pair = memref.alloca() : memref<2xi32>
  %lid = func.call @local() : () -> index
  %next = func.call @next() : () -> index
  %scaled = arith.muli %v, %seven : i32
  memref.store %v, %mine[%lid] : memref<256xi32, #spmd.memory<local>>
  memref.store %v, %pair[%c0] : memref<2xi32>
  memref.store %scaled, %pair[%c1] : memref<2xi32>
  spmd.barrier
  %w = memref.load %mine[%next] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %e = memref.load %pair[%c1] : memref<2xi32>
  %s = arith.addi %w, %e : i32
  func.return %s : i32
}
spmd.kernel @called_three_times(%x: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
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
  %a = func.call @rotated(%v) : (i32) -> i32
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%b = %a) -> (i32) {
    %e = memref.load %own[%i] : memref<3xi32>
    %s = arith.addi %b, %e : i32
    %d = func.call @rotated(%s) : (i32) -> i32
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
