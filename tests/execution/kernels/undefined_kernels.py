"""Kernels that need a value which is undefined, once each."""

from __future__ import annotations

import numpy as np

from tests.execution.kernels.faulty_kernels import SIZE, Faulty, numbers

UNDEFINED = {
    "shift": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %s = arith.shli %one, %n : i32 // here
  memref.store %s, %x[%i] : memref<?xi32>
""",
        "a shift of 32 bits by the width or more: by 32 [arith.shli]",
        column=8,
        values=(numbers(32),),
        finding="made it: a shift by the width or more",
    ),
    "shift that is taken": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %limit = arith.constant 33 : i32
  %few = arith.cmpi ult, %n, %limit : i32
  %s = arith.shrsi %one, %n : i32 // here
  %t = arith.select %few, %s, %one : i32
  memref.store %t, %x[%i] : memref<?xi32>
""",
        "a shift of 32 bits by the width or more: by 32 [arith.shrsi]",
        column=8,
        values=(numbers(32, 35),),
        finding="made it: a shift by the width or more",
    ),
    "sum": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %s = arith.addi %n, %n overflow<nsw> : i32 // here
  %t = arith.subi %s, %one : i32
  memref.store %t, %x[%i] : memref<?xi32>
""",
        "an overflow of 32 bits, which nsw rules out [arith.addi]",
        column=8,
        values=(numbers(1 << 30, -(1 << 30)),),
        finding="made it: an overflow, which nsw rules out",
    ),
    "sum that is too low": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi8>
  %c = arith.constant -100 : i8
  %s = arith.addi %n, %c overflow<nsw> : i8 // here
  memref.store %s, %x[%i] : memref<?xi8>
""",
        "an overflow of 8 bits, which nsw rules out [arith.addi]",
        column=8,
        arguments="%x: memref<?xi8>",
        values=(numbers(-29, -28, np.int8),),
        finding="made it: an overflow, which nsw rules out",
    ),
    "sum of unsigned numbers": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %s = arith.addi %n, %one overflow<nuw> : i32 // here
  memref.store %s, %x[%i] : memref<?xi32>
""",
        "an overflow of 32 bits, which nuw rules out [arith.addi]",
        column=8,
        values=(numbers(-1, -2),),
        finding="made it: an overflow, which nuw rules out",
    ),
    "difference": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %m = arith.subi %one, %n : i32
  %s = arith.subi %m, %n overflow<nsw> : i32 // here
  memref.store %s, %x[%i] : memref<?xi32>
""",
        "an overflow of 32 bits, which nsw rules out [arith.subi]",
        column=8,
        values=(numbers((1 << 30) + 1, 1 << 30),),
        finding="made it: an overflow, which nsw rules out",
    ),
    "difference of unsigned numbers": Faulty(
        """\
  %k = arith.select %at_fault, %c100, %c0 : index
  %s = arith.subi %last, %k overflow<nuw> : index // here
  %n = memref.load %x[%i] : memref<?xi32>
  %some = arith.cmpi eq, %n, %one : i32
  scf.if %some {
    %t = arith.index_cast %s : index to i32
    memref.store %t, %x[%i] : memref<?xi32>
  }
""",
        "an overflow of 64 bits, which nuw rules out [arith.subi]",
        column=8,
        values=(numbers(1, 1),),
        finding="made it: an overflow, which nuw rules out",
    ),
    "product": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %s = arith.muli %n, %n overflow<nsw> : i32 // here
  memref.store %s, %x[%i] : memref<?xi32>
""",
        "an overflow of 32 bits, which nsw rules out [arith.muli]",
        column=8,
        values=(numbers(46341, -46340),),
        finding="made it: an overflow, which nsw rules out",
    ),
    "product by a constant": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %c = arith.constant 3 : i32
  %s = arith.muli %n, %c overflow<nsw, nuw> : i32
  memref.store %s, %x[%i] : memref<?xi32> // here
""",
        "an undefined value, of an overflow of 32 bits, which nsw rules out [arith.muli] or an "
        "overflow of 32 bits, which nuw rules out [arith.muli], is needed [memref.store]",
        values=(numbers(715827883, 715827882),),
        finding="made it: an overflow, which nsw,nuw rules out",
    ),
    "product of unsigned numbers": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %s = arith.muli %n, %n overflow<nuw> : i32 // here
  memref.store %s, %x[%i] : memref<?xi32>
""",
        "an overflow of 32 bits, which nuw rules out [arith.muli]",
        column=8,
        values=(numbers(65536, 65535),),
        finding="made it: an overflow, which nuw rules out",
    ),
    "shift that loses a set bit": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi8>
  %c3 = arith.constant 3 : i8
  %s = arith.shli %n, %c3 overflow<nuw> : i8 // here
  memref.store %s, %x[%i] : memref<?xi8>
""",
        "an overflow of 8 bits, which nuw rules out [arith.shli]",
        column=8,
        arguments="%x: memref<?xi8>",
        values=(numbers(32, 31, np.int8),),
        finding="made it: a shift by the width or more, or a loss of bits that nuw rules out",
    ),
    "shift past the sign": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %s = arith.shli %one, %n overflow<nsw> : i32
  memref.store %s, %x[%i] : memref<?xi32> // here
""",
        "an undefined value, of a shift of 32 bits by the width or more: by ? [arith.shli] or "
        "an overflow of 32 bits, which nsw rules out [arith.shli], is needed [memref.store]",
        values=(numbers(31, 30),),
        finding="made it: a shift by the width or more, or a loss of bits that nsw rules out",
    ),
    "shift of a negative number past the sign": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi16>
  %by = arith.constant 4 : i16
  %s = arith.shli %n, %by overflow<nsw> : i16 // here
  memref.store %s, %x[%i] : memref<?xi16>
""",
        "an overflow of 16 bits, which nsw rules out [arith.shli]",
        column=8,
        arguments="%x: memref<?xi16>",
        values=(numbers(-2049, -2048, np.int16),),
        finding="made it: a shift by the width or more, or a loss of bits that nsw rules out",
    ),
    "value that a loop carries": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %one) -> (i32) {
    %t = arith.addi %s, %n overflow<nsw> : i32 // here
    scf.yield %t : i32
  }
  memref.store %sum, %x[%i] : memref<?xi32>
""",
        "an overflow of 32 bits, which nsw rules out [arith.addi]",
        column=10,
        values=(numbers(1 << 29, 7),),
        finding="made it: an overflow, which nsw rules out",
    ),
    "shuffle": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %lane = arith.select %at_fault, %c100, %c0 : index
  %s = spmd.shuffle idx %n, %lane : i32 // here
  memref.store %s, %x[%i] : memref<?xi32>
""",
        "a value from lane 100, which is not there [spmd.shuffle]",
        column=8,
        finding="made it: a work-item that is not there was read",
    ),
    "shuffle of what was shuffled": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %s = spmd.shuffle up %n, %c1 : i32
  %t = arith.addi %s, %n : i32
  %first = spmd.shuffle idx %t, %c0 : i32
  %u = arith.select %at_fault, %first, %n : i32
  memref.store %u, %x[%i] : memref<?xi32> // here
""",
        "an undefined value, of a value from lane ?, which is not there [spmd.shuffle] or "
        "a value from lane ?, which is not there [spmd.shuffle], is needed [memref.store]",
        finding="made it: a work-item that is not there was read",
    ),
    "broadcast": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  scf.if %at_fault {
    %s = spmd.broadcast %n from %c100 across sub_group : i32 // here
    memref.store %s, %x[%i] : memref<?xi32>
  }
""",
        "a value from lane 100, which is not there [spmd.broadcast]",
        column=10,
        finding="made it: a work-item that is not there was read",
    ),
    "float": Faulty(
        """\
  %f = memref.load %y[%i] : memref<?xf32>
  %n = arith.fptosi %f : f32 to i8 // here
  %w = arith.extsi %n : i8 to i32
  memref.store %w, %x[%i] : memref<?xi32>
""",
        "a float that does not fit i8 [arith.fptosi]",
        column=8,
        arguments="%x: memref<?xi32>, %y: memref<?xf32>",
        values=(np.zeros(SIZE, np.int32), numbers(-129, -128, np.float32)),
        finding="made it: a float that does not fit i8",
    ),
}

RULED_OUT = {
    "product that is infinite": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xf32>
  %s = arith.mulf %n, %n fastmath<ninf> : f32 // here
  memref.store %s, %x[%i] : memref<?xf32>
""",
        "",
        column=8,
        arguments="%x: memref<?xf32>",
        values=(numbers(-1e20, 1e19, np.float32),),
        finding="made it: an infinity, which ninf rules out",
    ),
    "difference of infinities": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xf64>
  %s = arith.subf %n, %n fastmath<nnan> : f64
  %t = arith.negf %s fastmath<nnan> : f64
  memref.store %t, %x[%i] : memref<?xf64> // here
""",
        "",
        arguments="%x: memref<?xf64>",
        values=(numbers(np.inf, 1, np.float64),),
        finding="made it: a NaN, which nnan rules out",
    ),
    "root that is no number": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xf32>
  %s = math.sqrt %n fastmath<nnan,ninf> : f32 // here
  memref.store %s, %x[%i] : memref<?xf32>
""",
        "",
        column=8,
        arguments="%x: memref<?xf32>",
        values=(numbers(-1, 1, np.float32),),
        finding="made it: an infinity or a NaN, which ninf and nnan rule out",
    ),
    "infinite divisor": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xf32>
  %c = arith.constant 1.0 : f32
  %s = arith.divf %c, %n fastmath<ninf> : f32 // here
  memref.store %s, %x[%i] : memref<?xf32>
""",
        "",
        column=8,
        arguments="%x: memref<?xf32>",
        values=(numbers(-np.inf, 1, np.float32),),
        finding="made it: an infinity, which ninf rules out",
    ),
    "comparison with NaN": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xf32>
  %c = arith.constant 1.0 : f32
  %s = arith.cmpf olt, %n, %c fastmath<nnan,nsz> : f32 // here
  %t = arith.select %s, %n, %c : f32
  memref.store %t, %x[%i] : memref<?xf32>
""",
        "",
        column=8,
        arguments="%x: memref<?xf32>",
        values=(numbers(np.nan, np.inf, np.float32),),
        finding="made it: a NaN, which nnan rules out",
    ),
    "sum of a vector with NaN": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xf32>
  %c = arith.constant 1.0 : f32
  %v = vector.broadcast %n : f32 to vector<2xf32>
  %s = vector.reduction <add>, %v, %c fastmath<nnan> : vector<2xf32> into f32 // here
  memref.store %s, %x[%i] : memref<?xf32>
""",
        "",
        column=8,
        arguments="%x: memref<?xf32>",
        values=(numbers(np.nan, np.inf, np.float32),),
        finding="made it: a NaN, which nnan rules out",
    ),
}
"""Floats that flags rule out: checked native code computes them nevertheless."""
