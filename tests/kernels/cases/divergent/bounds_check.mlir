// The whole body under a bounds check: more work-items than elements.
spmd.kernel @bounds_check(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %xi = memref.load %x[%i] : memref<?xf32>
    %yi = memref.load %y[%i] : memref<?xf32>
    %ax = arith.mulf %a, %xi : f32
    %r = arith.addf %ax, %yi : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  spmd.return
}
