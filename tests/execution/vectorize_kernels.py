"""
Kernels that ask for every part of `vectorize`: divergent control flow of each kind,
accesses of each shape, garbage in lanes that are off.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.execution.harness import EXACT, Arguments, Maker, Tolerance


class Case(NamedTuple):
    """A kernel and what to call it with."""

    source: str
    arguments: Arguments
    tolerance: Tolerance = EXACT


def _in_and_out(make: Maker) -> list[Any]:
    return [make.integers("f32", -8, 9, make.n), make.zeros("f32", make.n)]


def _counts(make: Maker) -> list[Any]:
    return [make.integers("i32", -3, 12, make.n), make.zeros("i32", make.n)]


CASES: dict[str, Case] = {}


def _case(
    name: str, source: str, arguments: Arguments, tolerance: Tolerance = EXACT
) -> None:
    CASES[name] = Case(source, arguments, tolerance)


_case(
    "branch-with-results",
    """
spmd.kernel @branch(%x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  %r, %s = scf.if %positive -> (f32, f32) {
    %w = arith.mulf %v, %two : f32
    %u = memref.load %x[%i] : memref<?xf32>
    %d = arith.addf %u, %w : f32
    scf.yield %w, %d : f32, f32
  } else {
    %w = arith.subf %v, %two : f32
    scf.yield %w, %v : f32, f32
  }
  %t = arith.addf %r, %s : f32
  memref.store %t, %y[%i] : memref<?xf32>
  spmd.return
}
""",
    _in_and_out,
)

_case(
    "branches-that-store",
    """
spmd.kernel @stores(%x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  scf.if %positive {
    %large = arith.cmpf ogt, %v, %four : f32
    scf.if %large {
      memref.store %four, %y[%i] : memref<?xf32>
    } else {
      %w = arith.mulf %v, %v : f32
      memref.store %w, %y[%i] : memref<?xf32>
    }
  } else {
    %small = arith.cmpf olt, %v, %zero : f32
    scf.if %small {
      memref.store %v, %y[%i] : memref<?xf32>
    }
  }
  spmd.return
}
""",
    _in_and_out,
)

_case(
    "switch",
    """
spmd.kernel @switch(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %case = arith.index_cast %v : i32 to index
  %r = scf.index_switch %case -> i32
  case 1 {
    %w = memref.load %x[%i] : memref<?xi32>
    %d = arith.addi %w, %w : i32
    scf.yield %d : i32
  }
  case 5 {
    memref.store %v, %y[%i] : memref<?xi32>
    %c = arith.constant 50 : i32
    scf.yield %c : i32
  }
  default {
    scf.yield %v : i32
  }
  %old = memref.load %y[%i] : memref<?xi32>
  %s = arith.addi %r, %old : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "while-hands-arguments-through",
    """
spmd.kernel @log2(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %left, %steps = scf.while (%a = %v, %k = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %a, %one : i32
    scf.condition(%more) %a, %k : i32, i32
  } do {
  ^bb0(%a: i32, %k: i32):
    %half = arith.shrsi %a, %one : i32
    %next = arith.addi %k, %one : i32
    scf.yield %half, %next : i32, i32
  }
  %ten = arith.constant 10 : i32
  %t = arith.muli %steps, %ten : i32
  %s = arith.addi %t, %left : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "while-with-the-body-first",
    """
spmd.kernel @collatz(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %start = arith.maxsi %v, %one : i32
  %last, %steps = scf.while (%a = %start, %k = %zero) : (i32, i32) -> (i32, i32) {
    %low = arith.andi %a, %one : i32
    %odd = arith.cmpi ne, %low, %zero : i32
    %next = scf.if %odd -> (i32) {
      %t = arith.muli %a, %three : i32
      %u = arith.addi %t, %one : i32
      scf.yield %u : i32
    } else {
      %h = arith.shrui %a, %one : i32
      scf.yield %h : i32
    }
    %n = arith.addi %k, %one : i32
    %go_on = arith.cmpi ne, %next, %one : i32
    scf.condition(%go_on) %next, %n : i32, i32
  } do {
  ^bb0(%a: i32, %k: i32):
    scf.yield %a, %k : i32, i32
  }
  %s = arith.addi %last, %steps : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "while-that-swaps-its-arguments",
    """
spmd.kernel @swap(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %i32 = arith.index_cast %i : index to i32
  %a, %b, %c, %n = scf.while (%p = %v, %q = %i32, %r = %zero, %k = %v)
      : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
    %sum = arith.addi %p, %k : i32
    %more = arith.cmpi sgt, %k, %zero : i32
    scf.condition(%more) %p, %q, %sum, %k : i32, i32, i32, i32
  } do {
  ^bb0(%p: i32, %q: i32, %s: i32, %k: i32):
    %next = arith.subi %k, %one : i32
    scf.yield %q, %s, %p, %next : i32, i32, i32, i32
  }
  %t = arith.subi %a, %b : i32
  %u = arith.shli %c, %one : i32
  %w = arith.xori %t, %u : i32
  %z = arith.addi %w, %n : i32
  memref.store %z, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "for-to-a-varying-end",
    """
spmd.kernel @triangle(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %end = arith.index_cast %v : i32 to index
  %last, %sum = scf.for %k = %c0 to %end step %c1 iter_args(%l = %zero, %a = %v)
      -> (i32, i32) {
    %k32 = arith.index_cast %k : index to i32
    %b = arith.muli %a, %k32 : i32
    %c = arith.addi %b, %v : i32
    scf.yield %k32, %c : i32, i32
  }
  %s = arith.xori %last, %sum : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "for-from-the-id-by-the-size",
    """
spmd.kernel @grid_stride(%n: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %one = arith.constant 1 : i32
  %sum, %turns = scf.for %k = %lid to %n step %size
      iter_args(%a = %zero, %t = %zero) -> (i32, i32) {
    %v = memref.load %x[%k] : memref<?xi32>
    %b = arith.addi %a, %v : i32
    %u = arith.addi %t, %one : i32
    scf.yield %b, %u : i32, i32
  }
  %s = arith.xori %sum, %turns : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    lambda make: [
        37,
        make.integers("i32", -9, 9, 37),
        make.zeros("i32", make.n),
    ],
)

_case(
    "nested-divergent-loops",
    """
spmd.kernel @nested(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %end = arith.index_cast %v : i32 to index
  %r = scf.for %k = %c0 to %end step %c1 iter_args(%a = %zero) -> (i32) {
    %k32 = arith.index_cast %k : index to i32
    %low = arith.andi %k32, %one : i32
    %odd = arith.cmpi eq, %low, %one : i32
    %c = scf.if %odd -> (i32) {
      %w = scf.while (%b = %k32) : (i32) -> i32 {
        %more = arith.cmpi slt, %b, %v : i32
        scf.condition(%more) %b : i32
      } do {
      ^bb0(%b: i32):
        %d = arith.addi %b, %k32 : i32
        memref.store %d, %y[%i] : memref<?xi32>
        scf.yield %d : i32
      }
      scf.yield %w : i32
    } else {
      scf.yield %a : i32
    }
    %s = arith.addi %c, %a : i32
    scf.yield %s : i32
  }
  %old = memref.load %y[%i] : memref<?xi32>
  %t = arith.addi %r, %old : i32
  memref.store %t, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "uniform-code-in-a-divergent-branch",
    """
spmd.kernel @uniform_inside(%sizes: memref<?xi32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %six = arith.constant 6.0 : f32
  %large = arith.cmpf ogt, %v, %six : f32
  scf.if %large {
    %size = memref.load %sizes[%c0] : memref<?xi32>
    %end = arith.index_cast %size : i32 to index
    %sum = scf.for %k = %c0 to %end step %c1 iter_args(%a = %zero) -> (f32) {
      %w = memref.load %x[%k] : memref<?xf32>
      %b = arith.addf %a, %w : f32
      scf.yield %b : f32
    }
    %many = arith.cmpi sgt, %size, %three : i32
    %r = scf.if %many -> (f32) {
      %u = arith.addf %sum, %v : f32
      scf.yield %u : f32
    } else {
      scf.yield %sum : f32
    }
    memref.store %r, %y[%i] : memref<?xf32>
  }
  spmd.return
}
""",
    lambda make: [
        np.array([min(5, make.n)], np.int32),
        make.integers("f32", -8, 9, make.n),
        make.zeros("f32", make.n),
    ],
)

_case(
    "private-arrays",
    """
spmd.kernel @private(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %a = memref.alloca() : memref<4x2xi32>
  scf.for %k = %c0 to %c4 step %c1 {
    %k32 = arith.index_cast %k : index to i32
    %w = arith.muli %k32, %v : i32
    memref.store %w, %a[%k, %c0] : memref<4x2xi32>
    memref.store %k32, %a[%k, %c1] : memref<4x2xi32>
  }
  %low = arith.andi %v, %three : i32
  %e = arith.index_cast %low : i32 to index
  %even = arith.cmpi eq, %low, %zero : i32
  scf.if %even {
    memref.store %v, %a[%c1, %c1] : memref<4x2xi32>
  } else {
    memref.store %low, %a[%e, %c0] : memref<4x2xi32>
  }
  %p = memref.load %a[%e, %c0] : memref<4x2xi32>
  %q = memref.load %a[%c1, %c1] : memref<4x2xi32>
  %s = arith.addi %p, %q : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "a-private-array-that-is-uniform",
    """
spmd.kernel @table(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %seven = arith.constant 7 : i32
  %i = spmd.global_id x
  %a = memref.alloca() : memref<8xi32>
  scf.for %k = %c0 to %c8 step %c1 {
    %k32 = arith.index_cast %k : index to i32
    %w = arith.muli %k32, %k32 : i32
    memref.store %w, %a[%k] : memref<8xi32>
  }
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.andi %v, %seven : i32
  %e = arith.index_cast %low : i32 to index
  %p = memref.load %a[%e] : memref<8xi32>
  %q = memref.load %a[%c1] : memref<8xi32>
  %s = arith.addi %p, %q : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    _counts,
)

_case(
    "gather-scatter-and-reverse",
    """
spmd.kernel @permute(%p: memref<?xindex>, %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %n = spmd.global_size x
  %to = memref.load %p[%i] : memref<?xindex>
  %last = arith.subi %n, %c1 : index
  %back = arith.subi %last, %i : index
  %v = memref.load %x[%back] : memref<?xf32>
  memref.store %v, %y[%to] : memref<?xf32>
  %w = memref.load %x[%to] : memref<?xf32>
  memref.store %w, %z[%back] : memref<?xf32>
  spmd.return
}
""",
    lambda make: [
        make.permutation("index", make.n),
        make.random("f32", make.n),
        make.zeros("f32", make.n),
        make.zeros("f32", make.n),
    ],
)

_case(
    "columns-and-masked-gathers",
    """
spmd.kernel @columns(%k: i32, %x: memref<?x3xf32>, %p: memref<?xi32>, %y: memref<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i, %c2] : memref<?x3xf32>
  %to = memref.load %p[%i] : memref<?xi32>
  %e = arith.index_cast %to : i32 to index
  %some = arith.cmpi slt, %to, %k : i32
  %w = scf.if %some -> (f32) {
    %a = memref.load %x[%e, %c1] : memref<?x3xf32>
    memref.store %a, %x[%e, %c0] : memref<?x3xf32>
    scf.yield %a : f32
  } else {
    scf.yield %zero : f32
  }
  memref.store %v, %y[%c0, %i] : memref<2x?xf32>
  memref.store %w, %y[%c1, %i] : memref<2x?xf32>
  spmd.return
}
""",
    lambda make: [
        make.n // 2,
        make.random("f32", make.n, 3),
        make.permutation("i32", make.n),
        make.zeros("f32", 2, make.n),
    ],
)

_case(
    "strided-layouts",
    """
spmd.kernel @strided(%x: memref<?x?xi16, strided<[?, ?], offset: ?>>, %y: memref<?x?xi16, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i, %c1] : memref<?x?xi16, strided<[?, ?], offset: ?>>
  %w = memref.load %x[%i, %c0] : memref<?x?xi16, strided<[?, ?], offset: ?>>
  %s = arith.addi %v, %w : i16
  memref.store %s, %y[%c1, %i] : memref<?x?xi16, strided<[?, ?], offset: ?>>
  spmd.return
}
""",
    lambda make: [
        make.random("i16", 2 * make.n, 5)[::-2, ::3],
        make.random("i16", 4, 2 * make.n)[::2, ::2],
    ],
)

_case(
    "division-where-some-lanes-divide-by-zero",
    """
spmd.kernel @divide(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %hundred = arith.constant 100 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %fine = arith.cmpi ne, %v, %zero : i32
  scf.if %fine {
    %q = arith.divsi %hundred, %v : i32
    %r = arith.remui %hundred, %v : i32
    %s = arith.addi %q, %r : i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  spmd.return
}
""",
    _counts,
)

_case(
    "a-uniform-divisor-in-a-branch-that-nobody-takes",
    """
spmd.kernel @uniform_divisor(%d: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %fine = arith.cmpi sgt, %d, %v : i32
  scf.if %fine {
    %q = arith.divsi %v, %d : i32
    %h = arith.constant 1000 : i32
    %r = arith.divsi %h, %d : i32
    %s = arith.addi %q, %r : i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  spmd.return
}
""",
    lambda make: [
        0,
        make.integers("i32", 0, 12, make.n),
        make.zeros("i32", make.n),
    ],
)

_case(
    "stores-of-all-lanes-to-one-place",
    """
spmd.kernel @one_place(%x: memref<?xi32>, %all: memref<?xi32>, %some: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %group = spmd.group_id x
  %lid = spmd.local_id x
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %g32 = arith.index_cast %group : index to i32
  memref.store %g32, %all[%group] : memref<?xi32>
  %mine = arith.cmpi eq, %v, %three : i32
  scf.if %mine {
    %w = arith.addi %v, %g32 : i32
    memref.store %w, %some[%group] : memref<?xi32>
  }
  spmd.return
}
""",
    lambda make: [
        make.integers("i32", 0, 5, make.n),
        make.zeros("i32", make.groups),
        make.zeros("i32", make.groups),
    ],
)

_case(
    "math-on-garbage",
    """
spmd.kernel @roots(%x: memref<?xf64>, %y: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf64>
  %positive = arith.cmpf ogt, %v, %zero : f64
  %r = scf.if %positive -> (f64) {
    %l = math.log %v : f64
    %s = math.sqrt %v : f64
    %t = arith.addf %l, %s : f64
    scf.yield %t : f64
  } else {
    %e = math.exp %v : f64
    scf.yield %e : f64
  }
  memref.store %r, %y[%i] : memref<?xf64>
  spmd.return
}
""",
    lambda make: [make.random("f64", make.n), make.zeros("f64", make.n)],
    Tolerance(ulps=8),
)


def _types(element: str) -> str:
    floating = element in ("f16", "bf16", "f32", "f64")
    suffix = "f" if floating else "i"
    compare = "arith.cmpf olt" if floating else "arith.cmpi slt"
    return f"""
spmd.kernel @types(%a: {element}, %x: memref<?x{element}>, %y: memref<?x{element}>) {{
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?x{element}>
  %s = arith.add{suffix} %v, %a : {element}
  %p = arith.mul{suffix} %s, %v : {element}
  %less = {compare}, %p, %v : {element}
  %r = scf.if %less -> ({element}) {{
    %w = memref.load %x[%i] : memref<?x{element}>
    %d = arith.sub{suffix} %w, %p : {element}
    scf.yield %d : {element}
  }} else {{
    scf.yield %s : {element}
  }}
  memref.store %r, %y[%i] : memref<?x{element}>
  spmd.return
}}
"""


for _element in ("i8", "i16", "i64", "index", "f16", "bf16", "f64"):

    def _typed(make: Maker, element: str = _element) -> list[Any]:
        return [
            3 if element[0] == "i" else 1.5,
            make.random(element, make.n),
            make.zeros(element, make.n),
        ]

    _case(f"type-{_element}", _types(_element), _typed)

_case(
    "booleans-in-memory",
    """
spmd.kernel @flags(%f: memref<?xi1>, %x: memref<?xi32>, %g: memref<?xi1>) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %flag = memref.load %f[%i] : memref<?xi1>
  %v = memref.load %x[%i] : memref<?xi32>
  %positive = arith.cmpi sgt, %v, %zero : i32
  %both = arith.xori %flag, %positive : i1
  scf.if %flag {
    memref.store %v, %x[%i] : memref<?xi32>
  } else {
    memref.store %zero, %x[%i] : memref<?xi32>
  }
  memref.store %both, %g[%i] : memref<?xi1>
  spmd.return
}
""",
    lambda make: [
        make.random("i1", make.n),
        make.integers("i32", -3, 3, make.n),
        make.zeros("i1", make.n),
    ],
)


def _bound(predicate: str, mirrored: bool) -> str:
    operands = "%n, %i" if mirrored else "%i, %n"
    return f"""
spmd.kernel @bound(%n: index, %x: memref<?xi32>) {{
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %in = arith.cmpi {predicate}, {operands} : index
  scf.if %in {{
    memref.store %one, %x[%i] : memref<?xi32>
  }}
  spmd.return
}}
"""


for _predicate in ("slt", "sle", "ult", "ule", "sgt", "sge", "ugt", "uge", "eq", "ne"):
    for _limit in (-(1 << 63), -1, 0, 7, (1 << 63) - 1):
        for _mirrored in (False, True):

            def _bounded(make: Maker, limit: int = _limit) -> list[Any]:
                return [limit, make.zeros("i32", make.n)]

            _name = f"bound-{_predicate}-{_limit}{'-mirrored' if _mirrored else ''}"
            _case(_name, _bound(_predicate, _mirrored), _bounded)

_case(
    "counting-back-from-an-inactive-first-lane",
    """
spmd.kernel @shifted(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  %lid = spmd.local_id x
  %i = spmd.global_id x
  %late = arith.cmpi uge, %lid, %c5 : index
  scf.if %late {
    %j = arith.subi %i, %c5 overflow<nuw> : index
    %near = arith.subi %lid, %c5 overflow<nuw> : index
    %v = memref.load %x[%j] : memref<?xi32>
    %early = arith.cmpi ult, %near, %c4 : index
    scf.if %early {
      memref.store %v, %y[%i] : memref<?xi32>
    }
  }
  spmd.return
}
""",
    _counts,
)

_case(
    "a-uniform-value-that-only-some-lanes-have",
    """
spmd.kernel @quotient(%d: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %group = spmd.group_id x
  %lid = spmd.local_id x
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %a = memref.alloca() : memref<4xindex>
  scf.for %k = %c0 to %c3 step %c1 {
    memref.store %c0, %a[%k] : memref<4xindex>
  }
  %late = arith.cmpi uge, %lid, %c3 : index
  %r = scf.if %late -> (i32) {
    %three = arith.constant 3 : i32
    %low = arith.andi %v, %three : i32
    %wide = arith.index_cast %low : i32 to index
    %e = arith.minui %wide, %c1 : index
    %nothing = memref.load %a[%e] : memref<4xindex>
    %end = arith.addi %nothing, %c3 : index
    %s = scf.for %k = %c0 to %end step %c1 iter_args(%t = %zero) -> (i32) {
      %u = arith.addi %t, %v : i32
      scf.yield %u : i32
    }
    %index = arith.addi %group, %nothing : index
    %w = memref.load %x[%index] : memref<?xi32>
    %z = arith.addi %s, %w : i32
    scf.yield %z : i32
  } else {
    scf.yield %zero : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    lambda make: [3, *_counts(make)],
)

_case(
    "loops-of-varying-length-with-one-result",
    """
spmd.kernel @one_result(%x: memref<?xi32>, %y: memref<?xi32>, %all: memref<?xi32>, %a: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %group = spmd.group_id x
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %end = arith.index_cast %v : i32 to index
  %r = scf.for %k = %c0 to %end step %c1 iter_args(%b = %a) -> (i32) {
    %old = memref.load %y[%i] : memref<?xi32>
    %new = arith.addi %old, %v : i32
    memref.store %new, %y[%i] : memref<?xi32>
    scf.yield %b : i32
  }
  %s, %n = scf.while (%c = %r, %k = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %k, %v : i32
    scf.condition(%more) %r, %k : i32, i32
  } do {
  ^bb0(%c: i32, %k: i32):
    %next = arith.addi %k, %one : i32
    scf.yield %c, %next : i32, i32
  }
  memref.store %s, %all[%group] : memref<?xi32>
  spmd.return
}
""",
    lambda make: [*_counts(make), make.zeros("i32", make.groups), 7],
)


def _every(step: int) -> str:
    return f"""
spmd.kernel @every(%x: memref<?xi16>, %m: memref<?x{step}xf64>, %y: memref<?xi16>, %z: memref<?xf64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant {step} : index
  %i = spmd.global_id x
  %at = arith.muli %i, %step : index
  %next = arith.addi %at, %c1 : index
  %a = memref.load %x[%at] : memref<?xi16>
  %b = memref.load %x[%next] : memref<?xi16>
  %c = arith.subi %a, %b : i16
  memref.store %c, %y[%i] : memref<?xi16>
  %p = memref.load %m[%i, %c0] : memref<?x{step}xf64>
  %q = memref.load %m[%i, %c1] : memref<?x{step}xf64>
  %r = arith.subf %p, %q : f64
  memref.store %r, %z[%i] : memref<?xf64>
  spmd.return
}}
"""


for _step in (2, 3, 4, 5):

    def _rows(make: Maker, step: int = _step) -> list[Any]:
        return [
            make.random("i16", step * (make.n - 1) + 2),
            make.random("f64", make.n, step),
            make.zeros("i16", make.n),
            make.zeros("f64", make.n),
        ]

    _case(f"every-{_step}", _every(_step), _rows)
