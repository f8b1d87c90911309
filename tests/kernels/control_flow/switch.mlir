// A switch with a shared case and one that falls through.
spmd.kernel @switch(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  cf.switch %small : i32, [default: ^default, 0: ^zero, 1: ^shared(%seven : i32), 2: ^shared(%one : i32), 5: ^fall]
^zero:
  memref.store %v, %y[%i] : memref<?xi32>
  spmd.return
^fall:
  memref.store %seven, %x[%i] : memref<?xi32>
  cf.br ^shared(%v : i32)
^shared(%a: i32):
  %b = arith.addi %a, %small : i32
  cf.br ^join(%b : i32)
^default:
  %c = arith.subi %zero, %v : i32
  cf.br ^join(%c : i32)
^join(%r: i32):
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
