// Values of every kind live across two barriers.
spmd.kernel @values_across_barriers(%s: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  %scaled = arith.mulf %v, %s : f32
  %bits = arith.bitcast %v : f32 to i32
  %half = arith.truncf %v : f32 to f16
  memref.store %scaled, %tile[%l] : memref<64xf32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %l, %c1 : index
  %other = arith.remui %next, %n : index
  %w = memref.load %tile[%other] : memref<64xf32, #spmd.memory<local>>
  spmd.barrier
  %sum = arith.addf %w, %scaled : f32
  memref.store %sum, %tile[%l] : memref<64xf32, #spmd.memory<local>>
  spmd.barrier
  %z = memref.load %tile[%other] : memref<64xf32, #spmd.memory<local>>
  %number = arith.sitofp %bits : i32 to f32
  %back = arith.extf %half : f16 to f32
  %chosen = arith.select %positive, %z, %back : f32
  %a = arith.addf %chosen, %v : f32
  memref.store %a, %x[%i] : memref<?xf32>
  memref.store %number, %y[%i] : memref<?xf32>
  spmd.return
}
