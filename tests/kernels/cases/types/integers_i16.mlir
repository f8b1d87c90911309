// Arithmetic on i16 that wraps around, signed and unsigned.
spmd.kernel @integers_i16(%x: memref<?xi16>, %y: memref<?xi16>, %z: memref<?xi16>) {
  %i = spmd.global_id x
  %one = arith.constant 1 : i16
  %mask = arith.constant 15 : i16
  %a = memref.load %x[%i] : memref<?xi16>
  %b = memref.load %y[%i] : memref<?xi16>
  %positive = arith.ori %b, %one : i16
  %amount = arith.andi %b, %mask : i16
  %add = arith.addi %a, %b : i16
  %sub = arith.subi %add, %positive : i16
  %mul = arith.muli %sub, %a : i16
  %divu = arith.divui %mul, %positive : i16
  %remu = arith.remui %mul, %positive : i16
  %half = arith.shrui %a, %one : i16
  %low = arith.shrui %positive, %one : i16
  %safe = arith.ori %low, %one : i16
  %divs = arith.divsi %half, %safe : i16
  %rems = arith.remsi %mul, %safe : i16
  %left = arith.shli %a, %amount : i16
  %logical = arith.shrui %a, %amount : i16
  %signed = arith.shrsi %a, %amount : i16
  %min = arith.minsi %left, %logical : i16
  %max = arith.maxui %min, %signed : i16
  %minu = arith.minui %divu, %remu : i16
  %maxs = arith.maxsi %divs, %rems : i16
  %less = arith.cmpi slt, %a, %b : i16
  %below = arith.cmpi ult, %a, %b : i16
  %both = arith.xori %less, %below : i1
  %p = arith.select %both, %max, %minu : i16
  %q = arith.xori %p, %maxs : i16
  memref.store %q, %z[%i] : memref<?xi16>
  memref.store %p, %x[%i] : memref<?xi16>
  spmd.return
}
