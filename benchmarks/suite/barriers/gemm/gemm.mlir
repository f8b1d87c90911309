// C = A * B, square matrices, 16x16 tiles of A and B staged in local memory.
spmd.kernel @gemm(%C: memref<?xf32>, %A: memref<?xf32>, %B: memref<?xf32>, %n32: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %ta = spmd.local_alloc : memref<16x16xf32, #spmd.memory<local>>
  %tb = spmd.local_alloc : memref<16x16xf32, #spmd.memory<local>>
  %n = arith.index_cast %n32 : i32 to index
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %x = spmd.global_id x
  %y = spmd.global_id y
  %row = arith.muli %y, %n : index
  %acc = scf.for %t = %c0 to %n step %c16 iter_args(%sum = %zero) -> (f32) {
    %column_a = arith.addi %t, %lx : index
    %at_a = arith.addi %row, %column_a : index
    %a = memref.load %A[%at_a] : memref<?xf32>
    memref.store %a, %ta[%ly, %lx] : memref<16x16xf32, #spmd.memory<local>>
    %row_b = arith.addi %t, %ly : index
    %start_b = arith.muli %row_b, %n : index
    %at_b = arith.addi %start_b, %x : index
    %b = memref.load %B[%at_b] : memref<?xf32>
    memref.store %b, %tb[%ly, %lx] : memref<16x16xf32, #spmd.memory<local>>
    spmd.barrier
    %tile_sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %sum) -> (f32) {
      %ak = memref.load %ta[%ly, %k] : memref<16x16xf32, #spmd.memory<local>>
      %bk = memref.load %tb[%k, %lx] : memref<16x16xf32, #spmd.memory<local>>
      %product = arith.mulf %ak, %bk fastmath<fast> : f32
      %next = arith.addf %s, %product fastmath<fast> : f32
      scf.yield %next : f32
    }
    spmd.barrier
    scf.yield %tile_sum : f32
  }
  %at = arith.addi %row, %x : index
  memref.store %acc, %C[%at] : memref<?xf32>
  spmd.return
}
