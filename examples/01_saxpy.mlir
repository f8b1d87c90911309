// y = a * x + y, one work-item per element. The range may be larger than the arrays,
// so each work-item asks whether its element is there.
spmd.kernel @saxpy(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %there = arith.cmpi ult, %i, %n : index
  scf.if %there {
    %xi = memref.load %x[%i] : memref<?xf32>
    %yi = memref.load %y[%i] : memref<?xf32>
    %ax = arith.mulf %a, %xi : f32
    %sum = arith.addf %ax, %yi : f32
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  spmd.return
}
