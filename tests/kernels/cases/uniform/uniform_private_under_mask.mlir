// What all active lanes have in arrays of their own, where the first lane is inactive: others have
// stored nothing there. The second array later differs between lanes.
spmd.kernel @uniform_private_under_mask(%x: memref<?xi32>, %n: i32, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %gid = spmd.global_id x
  %group = spmd.group_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %k = arith.andi %v, %one : i32
  %odd = arith.cmpi eq, %k, %one : i32
  scf.if %odd {
    %a = memref.alloca() : memref<2xi32>
    %b = memref.alloca() : memref<2xi32>
    memref.store %n, %a[%c0] : memref<2xi32>
    memref.store %n, %a[%c1] : memref<2xi32>
    memref.store %n, %b[%c1] : memref<2xi32>
    %at = arith.remui %group, %c1 : index
    %first = memref.load %a[%at] : memref<2xi32>
    %second = memref.load %b[%c1] : memref<2xi32>
    %sum = arith.addi %first, %second : i32
    memref.store %sum, %out[%group] : memref<?xi32>
    memref.store %v, %b[%c1] : memref<2xi32>
    %own = memref.load %b[%c1] : memref<2xi32>
    %new = arith.addi %own, %second : i32
    memref.store %new, %x[%gid] : memref<?xi32>
  }
  spmd.return
}
