// Each work-item walks over elements that lie a whole range apart.
spmd.kernel @several_items_per_thread(%n: index, %x: memref<?xf32>) {
  %i = spmd.global_id x
  %step = spmd.global_size x
  %two = arith.constant 2.0 : f32
  scf.for %j = %i to %n step %step {
    %v = memref.load %x[%j] : memref<?xf32>
    %w = arith.mulf %v, %two : f32
    memref.store %w, %x[%j] : memref<?xf32>
  }
  spmd.return
}
