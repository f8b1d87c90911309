// Each mode with a constant, with a number that all lanes share, and with one of their own.
spmd.kernel @shuffles(%d: index, %x: memref<?xf32>, %out: memref<?x11xf32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %cm1 = arith.constant -1 : index
  %none = arith.constant -1.0 : f32
  %v = memref.load %x[%i] : memref<?xf32>
  %lane = spmd.lane_id
  %n = spmd.sub_group_size
  %last = arith.subi %n, %c1 : index
  %back = arith.subi %last, %lane : index
  %in = arith.remui %d, %n : index

  %a = spmd.shuffle idx %v, %c0 : f32
  %b = spmd.shuffle idx %v, %in : f32
  %c = spmd.shuffle idx %v, %back : f32
  memref.store %a, %out[%i, %c0] : memref<?x11xf32>
  memref.store %b, %out[%i, %c1] : memref<?x11xf32>
  memref.store %c, %out[%i, %c2] : memref<?x11xf32>

  %l1 = arith.xori %lane, %c1 : index
  %ok1 = arith.cmpi ult, %l1, %n : index
  %x1 = spmd.shuffle xor %v, %c1 : f32
  %y1 = arith.select %ok1, %x1, %none : f32
  memref.store %y1, %out[%i, %c3] : memref<?x11xf32>
  %l2 = arith.xori %lane, %d : index
  %ok2 = arith.cmpi ult, %l2, %n : index
  %x2 = spmd.shuffle xor %v, %d : f32
  %y2 = arith.select %ok2, %x2, %none : f32
  memref.store %y2, %out[%i, %c4] : memref<?x11xf32>

  %ok3 = arith.cmpi uge, %lane, %c2 : index
  %x3 = spmd.shuffle up %v, %c2 : f32
  %y3 = arith.select %ok3, %x3, %none : f32
  memref.store %y3, %out[%i, %c5] : memref<?x11xf32>
  %x4 = spmd.shuffle up %v, %lane : f32
  memref.store %x4, %out[%i, %c6] : memref<?x11xf32>

  %l5 = arith.addi %lane, %d : index
  %ok5 = arith.cmpi ult, %l5, %n : index
  %x5 = spmd.shuffle down %v, %d : f32
  %y5 = arith.select %ok5, %x5, %none : f32
  memref.store %y5, %out[%i, %c7] : memref<?x11xf32>

  %r1 = spmd.shuffle rotate %v, %c3 : f32
  %r2 = spmd.shuffle rotate %v, %d : f32
  %r3 = spmd.shuffle rotate %v, %cm1 : f32
  memref.store %r1, %out[%i, %c8] : memref<?x11xf32>
  memref.store %r2, %out[%i, %c9] : memref<?x11xf32>
  memref.store %r3, %out[%i, %c10] : memref<?x11xf32>
  spmd.return
}
