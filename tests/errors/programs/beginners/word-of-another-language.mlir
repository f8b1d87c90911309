// 5:8: unknown operation 'spmd.thread_id'; did you mean 'spmd.global_id', or 'spmd.local_id' in its group?
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = spmd.thread_id x
  spmd.return
}
