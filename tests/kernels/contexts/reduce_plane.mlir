// A tree over the linear ids of a group of two dimensions.
spmd.kernel @reduce_plane(%x: memref<?x?xi32>, %out: memref<?x?xi32>) attributes {work_group_size = array<i64: 16, 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %width = spmd.local_size x
  %height = spmd.local_size y
  %row = arith.muli %ly, %width : index
  %id = arith.addi %row, %lx : index
  %n = arith.muli %width, %height : index
  %v = memref.load %x[%gy, %gx] : memref<?x?xi32>
  memref.store %v, %tile[%id] : memref<64xi32, #spmd.memory<local>>
  %end = scf.while (%half = %c64) : (index) -> index {
    %more = arith.cmpi ugt, %half, %c0 : index
    scf.condition(%more) %half : index
  } do {
  ^bb0(%half: index):
    spmd.barrier
    %other = arith.addi %id, %half : index
    %there = arith.cmpi ult, %other, %n : index
    %low = arith.cmpi ult, %id, %half : index
    %active = arith.andi %low, %there : i1
    scf.if %active {
      %a = memref.load %tile[%id] : memref<64xi32, #spmd.memory<local>>
      %b = memref.load %tile[%other] : memref<64xi32, #spmd.memory<local>>
      %s = arith.addi %a, %b : i32
      memref.store %s, %tile[%id] : memref<64xi32, #spmd.memory<local>>
    }
    %next = arith.shrui %half, %c1 : index
    scf.yield %next : index
  }
  %first = arith.cmpi eq, %id, %c0 : index
  scf.if %first {
    %px = spmd.group_id x
    %py = spmd.group_id y
    %sum = memref.load %tile[%c0] : memref<64xi32, #spmd.memory<local>>
    memref.store %sum, %out[%py, %px] : memref<?x?xi32>
  }
  spmd.return
}
