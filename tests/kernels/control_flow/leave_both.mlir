// An inner loop that leaves the outer one too.
spmd.kernel @leave_both(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.andi %v, %seven : i32
  cf.br ^outer(%small, %v : i32, i32)
^outer(%a: i32, %u: i32):
  %more = arith.cmpi sgt, %a, %zero : i32
  cf.cond_br %more, ^inner(%a, %u : i32, i32), ^exit(%u : i32)
^inner(%b: i32, %w: i32):
  %again = arith.cmpi sgt, %b, %zero : i32
  cf.cond_br %again, ^look, ^next
^look:
  %t = arith.muli %w, %seven : i32
  %s = arith.addi %t, %b : i32
  %b2 = arith.subi %b, %one : i32
  %three = arith.shrui %s, %seven : i32
  %bits = arith.andi %three, %seven : i32
  %leave = arith.cmpi eq, %bits, %zero : i32
  cf.cond_br %leave, ^found, ^inner(%b2, %s : i32, i32)
^found:
  memref.store %b, %x[%i] : memref<?xi32>
  cf.br ^exit(%s : i32)
^next:
  %a2 = arith.subi %a, %one : i32
  cf.br ^outer(%a2, %w : i32, i32)
^exit(%r: i32):
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
