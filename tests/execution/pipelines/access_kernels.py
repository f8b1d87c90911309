"""Kernels whose accesses, bounds and types take each shape."""

from __future__ import annotations

from typing import Any

from tests.execution.harness import Maker
from tests.execution.pipelines.vectorize_case import Cases, counts

ACCESSES = Cases()

ACCESSES.add(
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
    counts,
)

ACCESSES.add(
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
    counts,
)

ACCESSES.add(
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

ACCESSES.add(
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

ACCESSES.add(
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

ACCESSES.add(
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

    ACCESSES.add(f"type-{_element}", _types(_element), _typed)

ACCESSES.add(
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


LIMITS = (-(1 << 63), -1, 0, 7, (1 << 63) - 1)


def _bounds(predicate: str) -> str:
    """`i < n` and `n > i`, for every limit `n`: one condition and one array for each."""
    conditions = "".join(
        f"\n  %n{k} = arith.index_cast %limit{k} : i64 to index"
        for k in range(len(LIMITS))
    )
    conditions += "".join(
        f"""
  %in{k}_{left} = arith.cmpi {predicate}, {operands} : index
  scf.if %in{k}_{left} {{
    memref.store %one, %{left}{k}[%i] : memref<?xi32>
  }}"""
        for k in range(len(LIMITS))
        for left, operands in (("x", f"%i, %n{k}"), ("y", f"%n{k}, %i"))
    )
    arguments = ", ".join(
        f"%limit{k}: i64, %x{k}: memref<?xi32>, %y{k}: memref<?xi32>"
        for k in range(len(LIMITS))
    )
    return f"""
spmd.kernel @bounds({arguments}, %all: memref<?xi32>) {{
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  // What all work-items do keeps the conditions from becoming the end of the loop.
  memref.store %one, %all[%i] : memref<?xi32>{conditions}
  spmd.return
}}
"""


def _bounded(make: Maker) -> list[Any]:
    arrays = [
        [limit, make.zeros("i32", make.n), make.zeros("i32", make.n)]
        for limit in LIMITS
    ]
    return [*(value for array in arrays for value in array), make.zeros("i32", make.n)]


for _predicate in ("slt", "sle", "ult", "ule", "sgt", "sge", "ugt", "uge", "eq", "ne"):
    ACCESSES.add(f"bounds-{_predicate}", _bounds(_predicate), _bounded)

ACCESSES.add(
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
    counts,
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

    ACCESSES.add(f"every-{_step}", _every(_step), _rows)
