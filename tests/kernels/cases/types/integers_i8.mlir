// Arithmetic on i8 that wraps around, signed and unsigned.
spmd.kernel @integers_i8(%x: memref<?xi8>, %y: memref<?xi8>, %z: memref<?xi8>) {
  %i = spmd.global_id x
  %one = arith.constant 1 : i8
  %mask = arith.constant 7 : i8
  %a = memref.load %x[%i] : memref<?xi8>
  %b = memref.load %y[%i] : memref<?xi8>
  %positive = arith.ori %b, %one : i8
  %amount = arith.andi %b, %mask : i8
  %add = arith.addi %a, %b : i8
  %sub = arith.subi %add, %positive : i8
  %mul = arith.muli %sub, %a : i8
  %divu = arith.divui %mul, %positive : i8
  %remu = arith.remui %mul, %positive : i8
  %half = arith.shrui %a, %one : i8
  %low = arith.shrui %positive, %one : i8
  %safe = arith.ori %low, %one : i8
  %divs = arith.divsi %half, %safe : i8
  %rems = arith.remsi %mul, %safe : i8
  %left = arith.shli %a, %amount : i8
  %logical = arith.shrui %a, %amount : i8
  %signed = arith.shrsi %a, %amount : i8
  %min = arith.minsi %left, %logical : i8
  %max = arith.maxui %min, %signed : i8
  %minu = arith.minui %divu, %remu : i8
  %maxs = arith.maxsi %divs, %rems : i8
  %less = arith.cmpi slt, %a, %b : i8
  %below = arith.cmpi ult, %a, %b : i8
  %both = arith.xori %less, %below : i1
  %p = arith.select %both, %max, %minu : i8
  %q = arith.xori %p, %maxs : i8
  memref.store %q, %z[%i] : memref<?xi8>
  memref.store %p, %x[%i] : memref<?xi8>
  spmd.return
}
