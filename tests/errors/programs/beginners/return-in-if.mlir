// 7:5: spmd.return ends a kernel, not a region in it; put the rest of the kernel into an scf.if, or return early with cf.cond_br to a block that ends in spmd.return
spmd.kernel @k(%x: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %c = arith.cmpf olt, %v, %v : f32
  scf.if %c {
    spmd.return
  }
  spmd.return
}
