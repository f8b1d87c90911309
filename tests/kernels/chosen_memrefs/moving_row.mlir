// A loop that carries where its row begins: one base, so only the offset is passed on.
spmd.kernel @moving_row(%x: memref<?x8xi32>, %trips: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xi32, #spmd.memory<local>>
  %n = memref.load %trips[%c0] : memref<?xindex>
  %row = memref.subview %x[%gid, 0] [1, 4] [1, 1] : memref<?x8xi32> to memref<4xi32, strided<[1], offset: ?>>
  %last:2 = scf.while (%i = %c0, %m = %row) : (index, memref<4xi32, strided<[1], offset: ?>>) -> (index, memref<4xi32, strided<[1], offset: ?>>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %m : index, memref<4xi32, strided<[1], offset: ?>>
  } do {
  ^bb0(%j: index, %now: memref<4xi32, strided<[1], offset: ?>>):
    %v = memref.load %now[%c0] : memref<4xi32, strided<[1], offset: ?>>
    memref.store %v, %tile[%lid] : memref<256xi32, #spmd.memory<local>>
    spmd.barrier
    %next = arith.addi %lid, %c1 : index
    %there = arith.remui %next, %size : index
    %w = memref.load %tile[%there] : memref<256xi32, #spmd.memory<local>>
    memref.store %w, %now[%c1] : memref<4xi32, strided<[1], offset: ?>>
    spmd.barrier
    %part = memref.subview %now[1] [3] [1] : memref<4xi32, strided<[1], offset: ?>> to memref<3xi32, strided<[1], offset: ?>>
    %whole = memref.reinterpret_cast %x to offset: [0], sizes: [4], strides: [1] : memref<?x8xi32> to memref<4xi32, strided<[1], offset: ?>>
    %buffer, %offset, %s, %t = memref.extract_strided_metadata %part : memref<3xi32, strided<[1], offset: ?>> -> memref<i32>, index, index, index
    %moved = memref.reinterpret_cast %buffer to offset: [%offset], sizes: [4], strides: [1] : memref<i32> to memref<4xi32, strided<[1], offset: ?>>
    %k = arith.addi %j, %c1 : index
    scf.yield %k, %moved : index, memref<4xi32, strided<[1], offset: ?>>
  }
  %v = memref.load %last#1[%c1] : memref<4xi32, strided<[1], offset: ?>>
  memref.store %v, %x[%gid, %c0] : memref<?x8xi32>
  spmd.return
}
