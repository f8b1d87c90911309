// Unstructured code inside a structured region.
spmd.kernel @blocks_in_region(%x: memref<?xi32>) {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %ten = arith.constant 10 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %r = scf.execute_region -> (i32) {
    %small = arith.cmpi slt, %v, %ten : i32
    cf.cond_br %small, ^low, ^high(%v : i32)
  ^low:
    %negative = arith.cmpi slt, %v, %zero : i32
    cf.cond_br %negative, ^high(%ten : i32), ^done(%v : i32)
  ^high(%a: i32):
    %b = arith.addi %a, %ten : i32
    cf.br ^done(%b : i32)
  ^done(%c: i32):
    scf.yield %c : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
