// A product of matrices in tiles of local memory, with barriers around each tile.
spmd.kernel @gemm_tile(%k: index, %a: memref<?x?xf32>, %b: memref<?x?xf32>,
    %c: memref<?x?xf32>) attributes {work_group_size = array<i64: 4, 4>} {
  %ta = spmd.local_alloc : memref<4x4xf32, #spmd.memory<local>>
  %tb = spmd.local_alloc : memref<4x4xf32, #spmd.memory<local>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %x = spmd.global_id x
  %y = spmd.global_id y
  %sum = scf.for %t = %c0 to %k step %c4 iter_args(%acc = %zero) -> (f32) {
    %ka = arith.addi %t, %lx : index
    %kb = arith.addi %t, %ly : index
    %va = memref.load %a[%y, %ka] : memref<?x?xf32>
    %vb = memref.load %b[%kb, %x] : memref<?x?xf32>
    memref.store %va, %ta[%ly, %lx] : memref<4x4xf32, #spmd.memory<local>>
    memref.store %vb, %tb[%ly, %lx] : memref<4x4xf32, #spmd.memory<local>>
    spmd.barrier
    %part = scf.for %j = %c0 to %c4 step %c1 iter_args(%p = %acc) -> (f32) {
      %u = memref.load %ta[%ly, %j] : memref<4x4xf32, #spmd.memory<local>>
      %v = memref.load %tb[%j, %lx] : memref<4x4xf32, #spmd.memory<local>>
      %w = arith.mulf %u, %v : f32
      %q = arith.addf %p, %w : f32
      scf.yield %q : f32
    }
    spmd.barrier
    scf.yield %part : f32
  }
  memref.store %sum, %c[%y, %x] : memref<?x?xf32>
  spmd.return
}
