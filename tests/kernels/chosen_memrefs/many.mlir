// One of five arrays of different shapes, some of them private and made in their branch.
spmd.kernel @many(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?x2xi32>, %kinds: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %n = spmd.local_size x
  %seven = arith.constant 7 : i32
  %kind = memref.load %kinds[%gid] : memref<?xindex>
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %part = scf.index_switch %kind -> memref<?xi32, strided<[1], offset: ?>>
  case 0 {
    %v = memref.subview %x[%gid] [%c1] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
    scf.yield %v : memref<?xi32, strided<[1], offset: ?>>
  }
  case 1 {
    %v = memref.subview %y[%gid] [%c1] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
    scf.yield %v : memref<?xi32, strided<[1], offset: ?>>
  }
  case 2 {
    %v = memref.subview %z[%gid, 0] [1, 2] [1, 1] : memref<?x2xi32> to memref<2xi32, strided<[1], offset: ?>>
    %w = memref.cast %v : memref<2xi32, strided<[1], offset: ?>> to memref<?xi32, strided<[1], offset: ?>>
    scf.yield %w : memref<?xi32, strided<[1], offset: ?>>
  }
  case 3 {
    %a = memref.alloca() : memref<3xi32>
    memref.store %seven, %a[%c1] : memref<3xi32>
    %v = memref.subview %a[1] [2] [1] : memref<3xi32> to memref<2xi32, strided<[1], offset: 1>>
    %w = memref.cast %v : memref<2xi32, strided<[1], offset: 1>> to memref<?xi32, strided<[1], offset: ?>>
    scf.yield %w : memref<?xi32, strided<[1], offset: ?>>
  }
  default {
    %a = memref.alloca() : memref<4xi32>
    %k = arith.index_cast %gid : index to i32
    memref.store %k, %a[%c0] : memref<4xi32>
    %w = memref.cast %a : memref<4xi32> to memref<?xi32, strided<[1], offset: ?>>
    scf.yield %w : memref<?xi32, strided<[1], offset: ?>>
  }
  %size = memref.dim %part, %c0 : memref<?xi32, strided<[1], offset: ?>>
  %s = arith.index_cast %size : index to i32
  memref.store %s, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %lid, %c1 : index
  %there = arith.remui %next, %n : index
  %v = memref.load %tile[%there] : memref<256xi32, #spmd.memory<local>>
  %w = memref.load %part[%c0] : memref<?xi32, strided<[1], offset: ?>>
  %own = memref.dim %part, %c0 : memref<?xi32, strided<[1], offset: ?>>
  %o = arith.index_cast %own : index to i32
  %vw = arith.addi %v, %w : i32
  %sum = arith.addi %vw, %o : i32
  memref.store %sum, %part[%c0] : memref<?xi32, strided<[1], offset: ?>>
  spmd.barrier
  %u = memref.load %part[%c0] : memref<?xi32, strided<[1], offset: ?>>
  memref.store %u, %y[%gid] : memref<?xi32>
  spmd.return
}
