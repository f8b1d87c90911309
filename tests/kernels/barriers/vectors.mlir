// Vectors of integers, floats and bits that live across barriers, also from iteration to iteration.
spmd.kernel @vectors(%x: memref<?x4xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zeros = arith.constant dense<0> : vector<4xi32>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256x4xi32, #spmd.memory<local>>
  %v = vector.load %x[%gid, %c0] : memref<?x4xi32>, vector<4xi32>
  %positive = arith.cmpi sgt, %v, %zeros : vector<4xi32>
  %bytes = arith.trunci %v : vector<4xi32> to vector<4xi8>
  %halves = arith.sitofp %bytes : vector<4xi8> to vector<4xf16>
  vector.store %v, %tile[%lid, %c0] : memref<256x4xi32, #spmd.memory<local>>, vector<4xi32>
  spmd.barrier
  %next = arith.addi %lid, %c1 : index
  %there = arith.remui %next, %size : index
  %w = vector.load %tile[%there, %c0] : memref<256x4xi32, #spmd.memory<local>>, vector<4xi32>
  %picked = arith.select %positive, %w, %v : vector<4xi1>, vector<4xi32>
  %r, %h = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %picked, %b = %halves) -> (vector<4xi32>, vector<4xf16>) {
    spmd.barrier
    vector.store %a, %tile[%lid, %c0] : memref<256x4xi32, #spmd.memory<local>>, vector<4xi32>
    spmd.barrier
    %other = vector.load %tile[%there, %c0] : memref<256x4xi32, #spmd.memory<local>>, vector<4xi32>
    %sum = arith.addi %a, %other : vector<4xi32>
    %more = arith.addf %b, %halves : vector<4xf16>
    scf.yield %sum, %more : vector<4xi32>, vector<4xf16>
  }
  %numbers = arith.fptosi %h : vector<4xf16> to vector<4xi32>
  %both = arith.addi %r, %numbers : vector<4xi32>
  %total = vector.reduction <add>, %both : vector<4xi32> into i32
  memref.store %total, %out[%gid] : memref<?xi32>
  spmd.return
}
