// Work-items leave at different returns.
spmd.kernel @blocks_several_returns(%n: index, %x: memref<?xf32>) {
  %i = spmd.global_id x
  %outside = arith.cmpi uge, %i, %n : index
  cf.cond_br %outside, ^leave, ^work
^leave:
  spmd.return
^work:
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  cf.cond_br %positive, ^double, ^clear
^double:
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
^clear:
  memref.store %zero, %x[%i] : memref<?xf32>
  spmd.return
}
