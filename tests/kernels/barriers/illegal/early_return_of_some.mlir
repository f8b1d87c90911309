// Some return before the barrier.
spmd.kernel @early_return_of_some(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %stay = arith.cmpi ne, %path, %c0 : index
  cf.cond_br %stay, ^work, ^early
^early:
  spmd.return
^work:
  spmd.barrier
  memref.store %one, %x[%item] : memref<?xi32>
  spmd.return
}
