// Each work-item sorts a private array of five: loops, swaps, private memory.
spmd.kernel @bubble_sort(%a: memref<?x5xi32>) {
  %i = spmd.global_id x
  %p = memref.alloca() : memref<5xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %j = %c0 to %c5 step %c1 {
    %v = memref.load %a[%i, %j] : memref<?x5xi32>
    memref.store %v, %p[%j] : memref<5xi32>
  }
  scf.for %j = %c0 to %c4 step %c1 {
    %end = arith.subi %c4, %j : index
    scf.for %k = %c0 to %end step %c1 {
      %k1 = arith.addi %k, %c1 : index
      %v = memref.load %p[%k] : memref<5xi32>
      %w = memref.load %p[%k1] : memref<5xi32>
      %wrong = arith.cmpi sgt, %v, %w : i32
      scf.if %wrong {
        memref.store %w, %p[%k] : memref<5xi32>
        memref.store %v, %p[%k1] : memref<5xi32>
      }
    }
  }
  scf.for %j = %c0 to %c5 step %c1 {
    %v = memref.load %p[%j] : memref<5xi32>
    memref.store %v, %a[%i, %j] : memref<?x5xi32>
  }
  spmd.return
}
