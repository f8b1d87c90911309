// One element of C = A * B for each work-item.
spmd.kernel @naive_gemm(%C: memref<?xf32>, %A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %x = spmd.global_id x
  %y = spmd.global_id y
  %row = arith.muli %y, %n : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %at_a = arith.addi %row, %k : index
    %a = memref.load %A[%at_a] : memref<?xf32>
    %row_b = arith.muli %k, %n : index
    %at_b = arith.addi %row_b, %x : index
    %b = memref.load %B[%at_b] : memref<?xf32>
    %product = arith.mulf %a, %b fastmath<fast> : f32
    %next = arith.addf %s, %product fastmath<fast> : f32
    scf.yield %next : f32
  }
  %at = arith.addi %row, %x : index
  memref.store %sum, %C[%at] : memref<?xf32>
  spmd.return
}
