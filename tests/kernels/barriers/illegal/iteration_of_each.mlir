// All meet at one barrier, but each in its own iteration of the loop, which then says where to go.
spmd.kernel @iteration_of_each(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  scf.for %i = %c0 to %c3 step %c1 {
    %mine = arith.cmpi eq, %i, %path : index
    scf.if %mine {
      spmd.barrier
      memref.store %one, %x[%item] : memref<?xi32>
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        spmd.barrier
      } else {
        %all = spmd.all %first across work_group
      }
    }
  }
  spmd.return
}
