// Arithmetic on i64 that wraps around, signed and unsigned.
spmd.kernel @integers_i64(%x: memref<?xi64>, %y: memref<?xi64>, %z: memref<?xi64>) {
  %i = spmd.global_id x
  %one = arith.constant 1 : i64
  %mask = arith.constant 63 : i64
  %a = memref.load %x[%i] : memref<?xi64>
  %b = memref.load %y[%i] : memref<?xi64>
  %positive = arith.ori %b, %one : i64
  %amount = arith.andi %b, %mask : i64
  %add = arith.addi %a, %b : i64
  %sub = arith.subi %add, %positive : i64
  %mul = arith.muli %sub, %a : i64
  %divu = arith.divui %mul, %positive : i64
  %remu = arith.remui %mul, %positive : i64
  %half = arith.shrui %a, %one : i64
  %low = arith.shrui %positive, %one : i64
  %safe = arith.ori %low, %one : i64
  %divs = arith.divsi %half, %safe : i64
  %rems = arith.remsi %mul, %safe : i64
  %left = arith.shli %a, %amount : i64
  %logical = arith.shrui %a, %amount : i64
  %signed = arith.shrsi %a, %amount : i64
  %min = arith.minsi %left, %logical : i64
  %max = arith.maxui %min, %signed : i64
  %minu = arith.minui %divu, %remu : i64
  %maxs = arith.maxsi %divs, %rems : i64
  %less = arith.cmpi slt, %a, %b : i64
  %below = arith.cmpi ult, %a, %b : i64
  %both = arith.xori %less, %below : i1
  %p = arith.select %both, %max, %minu : i64
  %q = arith.xori %p, %maxs : i64
  memref.store %q, %z[%i] : memref<?xi64>
  memref.store %p, %x[%i] : memref<?xi64>
  spmd.return
}
