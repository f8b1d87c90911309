// Lanes reverse the numbers of their sub-group through memory.
spmd.kernel @exchange(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %c1 = arith.constant 1 : index
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %lz = spmd.local_id z
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  %a = arith.muli %lz, %sy : index
  %b = arith.addi %a, %ly : index
  %c = arith.muli %b, %sx : index
  %l = arith.addi %c, %lx : index
  %lane = spmd.lane_id
  %n = spmd.sub_group_size
  %last = arith.subi %n, %c1 : index
  %start = arith.subi %l, %lane : index
  %back = arith.subi %last, %lane : index
  %from = arith.addi %start, %back : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier sub_group
  %w = memref.load %tile[%from] : memref<?xi32, #spmd.memory<local>>
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.return
}
