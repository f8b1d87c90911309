// What random host functions launch and call: right for arrays of any sizes.

spmd.kernel @fill(%k: i32, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi32>
  %in = arith.cmpi ult, %i, %n : index
  scf.if %in {
    %m = arith.index_cast %i : index to i32
    %v = arith.muli %m, %k : i32
    memref.store %v, %x[%i] : memref<?xi32>
  }
  spmd.return
}
spmd.kernel @add(%k: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi32>
  %m = memref.dim %y, %c0 : memref<?xi32>
  %least = arith.minui %n, %m : index
  %in = arith.cmpi ult, %i, %least : index
  scf.if %in {
    %v = memref.load %x[%i] : memref<?xi32>
    %w = memref.load %y[%i] : memref<?xi32>
    %p = arith.muli %v, %k : i32
    %s = arith.addi %p, %w : i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  spmd.return
}
spmd.kernel @turn(%k: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  %m = memref.dim %y, %c0 : memref<?xi32>
  %least = arith.minui %n, %m : index
  %in = arith.cmpi ult, %i, %least : index
  scf.if %in {
    %last = arith.subi %n, %c1 : index
    %j = arith.subi %last, %i : index
    %v = memref.load %x[%j] : memref<?xi32>
    %s = arith.xori %v, %k : i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  spmd.return
}
spmd.kernel @total(%k: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi32>
  %in = arith.cmpi ult, %i, %n : index
  scf.if %in {
    %v = memref.load %x[%i] : memref<?xi32>
    %w = arith.addi %v, %k : i32
    %old = spmd.atomic_rmw add %w, %y[%c0] : memref<?xi32>
  }
  spmd.return
}
spmd.kernel @scale(%k: i32, %x: memref<?xi32, strided<[?], offset: ?>>) attributes {work_group_size = array<i64: 4>} {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi32, strided<[?], offset: ?>>
  %in = arith.cmpi ult, %i, %n : index
  scf.if %in {
    %v = memref.load %x[%i] : memref<?xi32, strided<[?], offset: ?>>
    %w = arith.muli %v, %k : i32
    memref.store %w, %x[%i] : memref<?xi32, strided<[?], offset: ?>>
  }
  spmd.return
}
spmd.kernel @plane(%k: i32, %x: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %j = spmd.global_id y
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  %m = memref.dim %x, %c0 : memref<?x?xi32>
  %a = arith.cmpi ult, %i, %n : index
  %b = arith.cmpi ult, %j, %m : index
  %in = arith.andi %a, %b : i1
  scf.if %in {
    %v = memref.load %x[%j, %i] : memref<?x?xi32>
    %w = arith.addi %v, %k : i32
    memref.store %w, %x[%j, %i] : memref<?x?xi32>
  }
  spmd.return
}
spmd.kernel @meet(%k: i32, %x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %size = spmd.local_size x
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  %in = arith.cmpi ult, %i, %n : index
  %v = scf.if %in -> (i32) {
    %w = memref.load %x[%i] : memref<?xi32>
    scf.yield %w : i32
  } else {
    scf.yield %k : i32
  }
  memref.store %v, %tile[%l] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %l, %c1 : index
  %other = arith.remui %next, %size : index
  %u = memref.load %tile[%other] : memref<?xi32, #spmd.memory<local>>
  scf.if %in {
    memref.store %u, %x[%i] : memref<?xi32>
  }
  spmd.return
}
func.func private @made(%k: i32, %n: index) -> memref<?xi32> {
  %c4 = arith.constant 4 : index
  %new = memref.alloc(%n) : memref<?xi32>
  spmd.launch @fill global(%n) of(%c4) (%k, %new) : i32, memref<?xi32>
  func.return %new : memref<?xi32>
}
