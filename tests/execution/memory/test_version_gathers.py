"""`version-gathers`: rows of neighbours, or none, are what each lane accesses alone."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.options import Width
from spmd.runtime.parsing import make_context
from tests.execution.harness import LINES, Maker, check_native_launches, parsed

DIGITS = """
spmd.kernel @digits(%x: memref<?xT>, %y: memref<?x?xT>, %by: index, %shift: index) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %high = arith.shrui %i, %shift : index
  %ones = arith.shli %c1, %shift : index
  %below = arith.subi %ones, %c1 : index
  %low = arith.andi %i, %below : index
  %swapped = arith.xori %i, %ones : index
  %v = memref.load %x[%swapped] : memref<?xT>
  memref.store %v, %y[%high, %low] : memref<?x?xT>
  %some = arith.cmpi ult, %low, %by : index
  scf.if %some {
    %row = arith.divui %i, %by : index
    %column = arith.remui %i, %by : index
    %at = arith.addi %row, %column : index
    %w = memref.load %x[%at] : memref<?xT>
    %far = arith.addi %low, %ones : index
    memref.store %w, %y[%high, %far] : memref<?x?xT>
  }
  spmd.return
}
"""


def compiled(source: str, width: int) -> ModuleOp:
    module = parsed(source).clone()
    SpmdToLoopsPass().apply(make_context(), module)
    VectorizePass(width=width).apply(make_context(), module)
    return module


@pytest.mark.parametrize("shift", [0, 2, 3, 4, 6])
@pytest.mark.parametrize("by", [1, 7, 16])
@pytest.mark.parametrize(("type_", "width"), [("f32", 64), ("f64", 16), ("i8", "auto")])
def test_digits_of_ids(type_: str, width: Width, by: int, shift: int):
    """Rows of all lengths: whole, cut by masks, shorter than a vector."""

    def arguments(make: Maker) -> list[Any]:
        padded = make.n + (2 << shift)
        shape = (make.n >> shift) + 1, 2 << shift
        return [make.random(type_, padded), make.zeros(type_, *shape), by, shift]

    source = DIGITS.replace("T>", f"{type_}>")
    assert "rows" in str(compiled(source, 16))
    check_native_launches(source, arguments, LINES, width=width)
