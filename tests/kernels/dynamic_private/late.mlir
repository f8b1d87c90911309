// Sizes that work-items read after a write, that nobody can prove to be equal, and that a
// loop carries.
spmd.kernel @late(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %sizes = spmd.local_alloc : memref<256xindex, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  %two = arith.addi %n, %c2 : index
  memref.store %two, %sizes[%lid] : memref<256xindex, #spmd.memory<local>>
  %own = memref.load %sizes[%lid] : memref<256xindex, #spmd.memory<local>>
  %a = memref.alloca(%own) : memref<?xi32>
  memref.store %v, %a[%c1] : memref<?xi32>
  spmd.barrier
  %same = memref.load %sizes[%c0] : memref<256xindex, #spmd.memory<local>>
  memref.store %v, %x[%gid] : memref<?xi32>
  %b = memref.alloca(%same) : memref<?xi32>
  %u = memref.load %a[%c1] : memref<?xi32>
  memref.store %u, %b[%n] : memref<?xi32>
  spmd.barrier
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%length = %own) -> (index) {
    %c = memref.alloca(%length) : memref<?xi32>
    %w = memref.load %b[%n] : memref<?xi32>
    memref.store %w, %c[%i] : memref<?xi32>
    spmd.barrier
    %t = memref.load %c[%i] : memref<?xi32>
    %sum = arith.addi %t, %v : i32
    memref.store %sum, %b[%n] : memref<?xi32>
    %more = arith.addi %length, %c1 : index
    scf.yield %more : index
  }
  %w = memref.load %b[%n] : memref<?xi32>
  %k = arith.index_cast %r : index to i32
  %sum = arith.addi %w, %k : i32
  memref.store %sum, %x[%gid] : memref<?xi32>
  spmd.return
}
