// Two of three paths have a barrier.
spmd.kernel @switch_of_some(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %item = func.call @item() : () -> index
  %path = memref.load %paths[%item] : memref<?xindex>
  %v = memref.load %x[%item] : memref<?xi32>
  %some = arith.cmpi ne, %path, %c0 : index
  scf.index_switch %path
  case 0 {
    spmd.barrier
    memref.store %one, %x[%item] : memref<?xi32>
    scf.yield
  }
  case 1 {
    %all = spmd.all %some across work_group
    scf.yield
  }
  default {
    memref.store %one, %x[%item] : memref<?xi32>
    scf.yield
  }
  spmd.return
}
