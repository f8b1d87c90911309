// Two dimensions without a barrier: rows, columns, and a divergent if on the diagonal.
spmd.kernel @plane(%a: memref<?x?xf32>, %row: memref<?xf32>, %column: memref<?xf32>) {
  %x = spmd.global_id x
  %y = spmd.global_id y
  %r = memref.load %row[%x] : memref<?xf32>
  %c = memref.load %column[%y] : memref<?xf32>
  %v = memref.load %a[%y, %x] : memref<?x?xf32>
  %p = arith.mulf %r, %c : f32
  %below = arith.cmpi ult, %x, %y : index
  %q = scf.if %below -> (f32) {
    %s = arith.subf %v, %p : f32
    scf.yield %s : f32
  } else {
    %s = arith.addf %v, %p : f32
    scf.yield %s : f32
  }
  memref.store %q, %a[%y, %x] : memref<?x?xf32>
  spmd.return
}
