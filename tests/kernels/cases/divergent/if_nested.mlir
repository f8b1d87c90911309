// Divergent ifs in divergent ifs, with several results and stores inside.
spmd.kernel @if_nested(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %bit0 = arith.andi %v, %c1 : i32
  %bit1 = arith.andi %v, %c2 : i32
  %odd = arith.cmpi ne, %bit0, %c0 : i32
  %second = arith.cmpi ne, %bit1, %c0 : i32
  %r, %s = scf.if %odd -> (i32, i32) {
    %p, %q = scf.if %second -> (i32, i32) {
      %a = arith.muli %v, %v : i32
      memref.store %a, %y[%i] : memref<?xi32>
      scf.yield %a, %c1 : i32, i32
    } else {
      scf.yield %v, %c2 : i32, i32
    }
    %t = arith.addi %p, %q : i32
    scf.yield %t, %p : i32, i32
  } else {
    scf.if %second {
      memref.store %c2, %y[%i] : memref<?xi32>
    }
    %n = arith.subi %c0, %v : i32
    scf.yield %n, %c0 : i32, i32
  }
  %u = arith.xori %r, %s : i32
  memref.store %u, %x[%i] : memref<?xi32>
  spmd.return
}
