"""What grows from lane to lane, compared with numbers near and far, in few bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spmd.dialects.names import PREDICATES
from spmd.runtime.options import Width
from tests.execution.harness import LINES, Maker, check_native_launches

STEPS = (1, -3, 100)
NUMBERS = (0, 1, 5, -1, -190, 6300)


def kernel(type_: str) -> str:
    """Every predicate of every step and a number, or lanes with another step."""
    compare: list[str] = []
    for k, step in enumerate(STEPS):
        compare += [
            f"%c{k} = arith.constant {step} : {type_}",
            f"%a{k} = arith.muli %l, %c{k} : {type_}",
        ]
        for p, predicate in enumerate(PREDICATES):
            a = f"%a{k}"
            sides = (f"{a}, %n", f"%n, {a}", f"{a}, %far")[(p + k) % 3]
            at = f"%at{k}_{p}"
            compare += [
                f"%r{k}_{p} = arith.cmpi {predicate}, {sides} : {type_}",
                f"{at} = arith.constant {k * len(PREDICATES) + p} : index",
                f"memref.store %r{k}_{p}, %y[%j, {at}, %i] : memref<?x?x?xi1>",
            ]
    return f"""
spmd.kernel @compare(%x: memref<?x{type_}>, %y: memref<?x?x?xi1>, %from: index) {{
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %l = arith.index_cast %lid : index to {type_}
  %c7 = arith.constant 7 : {type_}
  %c300 = arith.constant 300 : {type_}
  %l7 = arith.muli %l, %c7 : {type_}
  %far = arith.subi %l7, %c300 : {type_}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = memref.dim %x, %zero : memref<?x{type_}>
  %on = arith.cmpi uge, %lid, %from : index
  scf.if %on {{
    scf.for %j = %zero to %count step %one {{
      %n = memref.load %x[%j] : memref<?x{type_}>
      {" ".join(compare)}
    }}
  }}
  spmd.return
}}
"""


@pytest.mark.parametrize(("type_", "width"), [("i64", 16), ("i32", 64), ("i16", 4)])
def test_comparisons_with_steps(type_: str, width: Width):
    """Groups in which the first lanes are inactive, too."""
    ends = np.iinfo(type_.replace("i", "int"))

    def arguments(make: Maker) -> list[Any]:
        numbers = np.array([*NUMBERS, ends.min, ends.max], ends.dtype)
        rows = len(STEPS) * len(PREDICATES)
        return [numbers, make.zeros("i1", numbers.size, rows, make.n), 3]

    check_native_launches(kernel(type_), arguments, LINES[1:4], width=width)
