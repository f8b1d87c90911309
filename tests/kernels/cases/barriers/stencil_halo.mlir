// A 1-D stencil with a halo in local memory that the first work-items load.
spmd.kernel @stencil_halo(%x: memref<?xf32>, %y: memref<?xf32>) {
  %tile = spmd.local_alloc : memref<66xf32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %all = spmd.global_size x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %third = arith.constant 0.25 : f32
  %first = arith.cmpi eq, %l, %c0 : index
  %at = arith.addi %l, %c1 : index
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %tile[%at] : memref<66xf32, #spmd.memory<local>>
  scf.if %first {
    %has_left = arith.cmpi ugt, %i, %c0 : index
    %left = scf.if %has_left -> (f32) {
      %j = arith.subi %i, %c1 : index
      %w = memref.load %x[%j] : memref<?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %left, %tile[%c0] : memref<66xf32, #spmd.memory<local>>
    %next = arith.addi %i, %n : index
    %has_right = arith.cmpi ult, %next, %all : index
    %right = scf.if %has_right -> (f32) {
      %w = memref.load %x[%next] : memref<?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %zero : f32
    }
    %end = arith.addi %n, %c1 : index
    memref.store %right, %tile[%end] : memref<66xf32, #spmd.memory<local>>
  }
  spmd.barrier
  %r = arith.addi %l, %c2 : index
  %a = memref.load %tile[%l] : memref<66xf32, #spmd.memory<local>>
  %b = memref.load %tile[%r] : memref<66xf32, #spmd.memory<local>>
  %s = arith.addf %a, %b : f32
  %t = arith.addf %s, %v : f32
  %m = arith.mulf %t, %third : f32
  memref.store %m, %y[%i] : memref<?xf32>
  spmd.return
}
