// Arithmetic on i32 that wraps around, signed and unsigned.
spmd.kernel @integers_i32(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) {
  %i = spmd.global_id x
  %one = arith.constant 1 : i32
  %mask = arith.constant 31 : i32
  %a = memref.load %x[%i] : memref<?xi32>
  %b = memref.load %y[%i] : memref<?xi32>
  %positive = arith.ori %b, %one : i32
  %amount = arith.andi %b, %mask : i32
  %add = arith.addi %a, %b : i32
  %sub = arith.subi %add, %positive : i32
  %mul = arith.muli %sub, %a : i32
  %divu = arith.divui %mul, %positive : i32
  %remu = arith.remui %mul, %positive : i32
  %half = arith.shrui %a, %one : i32
  %low = arith.shrui %positive, %one : i32
  %safe = arith.ori %low, %one : i32
  %divs = arith.divsi %half, %safe : i32
  %rems = arith.remsi %mul, %safe : i32
  %left = arith.shli %a, %amount : i32
  %logical = arith.shrui %a, %amount : i32
  %signed = arith.shrsi %a, %amount : i32
  %min = arith.minsi %left, %logical : i32
  %max = arith.maxui %min, %signed : i32
  %minu = arith.minui %divu, %remu : i32
  %maxs = arith.maxsi %divs, %rems : i32
  %less = arith.cmpi slt, %a, %b : i32
  %below = arith.cmpi ult, %a, %b : i32
  %both = arith.xori %less, %below : i1
  %p = arith.select %both, %max, %minu : i32
  %q = arith.xori %p, %maxs : i32
  memref.store %q, %z[%i] : memref<?xi32>
  memref.store %p, %x[%i] : memref<?xi32>
  spmd.return
}
