"""`version-gathers`: rows of neighbours, or none, are what each lane accesses alone."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.options import Width
from spmd.runtime.parsing import make_context
from tests.execution.harness import LINES, Maker, check_native_launches, parsed

DIGITS = """
spmd.kernel @digits(
    %x: memref<?xT>, %y: memref<?x?xT>, %z: memref<?xT>, %by: index, %shift: index) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %high = arith.shrui %i, %shift : index
  %ones = arith.shli %c1, %shift : index
  %below = arith.subi %ones, %c1 : index
  %low = arith.andi %i, %below : index
  %swapped = arith.xori %i, %ones : index
  %v = memref.load %x[%swapped] : memref<?xT>
  memref.store %v, %y[%high, %low] : memref<?x?xT>
  %one_more = arith.addi %shift, %c1 : index
  %start = arith.shli %high, %one_more : index
  %side = arith.addi %start, %low : index
  %u = memref.load %x[%side] : memref<?xT>
  memref.store %u, %z[%side] : memref<?xT>
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


SIDES = """
spmd.kernel @sides(%x: memref<?xT>, %z: memref<?xT>, %bits: I, %distance: I) {
  %id = spmd.global_id x
  %i = arith.CAST %id : index to I
  %high = arith.andi %i, %bits : I
  %left = arith.addi %i, %high : I
  %right = arith.addi %left, %distance : I
  %to_left = arith.CAST %left : I to index
  %to_right = arith.CAST %right : I to index
  %v = memref.load %x[%to_left] : memref<?xT>
  %w = memref.load %x[%to_right] : memref<?xT>
  %sum = arith.addf %v, %w : T
  %difference = arith.subf %v, %w : T
  memref.store %sum, %z[%to_left] : memref<?xT>
  memref.store %difference, %z[%to_right] : memref<?xT>
  spmd.return
}
"""
"""Both sides of a butterfly, if `bits` are those above `distance`."""


@pytest.mark.parametrize("row", [1, 4, 8])
@pytest.mark.parametrize("further", [0, 1])
@pytest.mark.parametrize(
    ("type_", "index", "width"),
    [("f32", "i64", 32), ("f32", "i32", 8), ("f64", "i64", 16)],
)
def test_both_sides(type_: str, index: str, width: Width, row: int, further: int):
    """Rows between rows are stored in whole vectors; rows between others are not."""

    def arguments(make: Maker) -> list[Any]:
        padded = 2 * make.n + 4 * row + 64
        arrays = make.random(type_, padded), make.zeros(type_, padded)
        return [*arrays, -row, row + 2 * row * further]

    source = SIDES.replace("CAST", "index_cast").replace("T>", f"{type_}>")
    source = source.replace(" T\n", f" {type_}\n").replace(" I", f" {index}")
    assert "meets" in str(compiled(source, 16))
    check_native_launches(source, arguments, LINES, width=width)


@cache
def compiled(source: str, width: int) -> ModuleOp:
    module = parsed(source).clone()
    SpmdToLoopsPass().apply(make_context(), module)
    VectorizePass(width=width).apply(make_context(), module)
    return module


ALMOST = """
spmd.kernel @almost(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %by: index) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c15 = arith.constant 15 : index
  %rest = arith.shrui %i, %c3 : index
  %top = arith.andi %rest, %c1 : index
  %twice = arith.shli %i, %c1 : index
  %low = arith.andi %twice, %c15 : index
  %turned = arith.ori %low, %top : index
  %upper = arith.andi %turned, %by : index
  %from = arith.addi %turned, %upper : index
  %v = memref.load %x[%from] : memref<?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  %bits = arith.andi %i, %by : index
  %to = arith.addi %i, %bits : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %z[%to] : memref<?xf32>
  spmd.return
}
"""
"""Lanes of which the first and the last of 16 are as far apart as in rows."""


@pytest.mark.parametrize("by", [7, 8, 12, 15])
def test_what_is_no_row(by: int):
    """Rows out of order, and some that overlap: several lanes store one to an element."""

    def arguments(make: Maker) -> list[Any]:
        n = 2 * make.n + 32
        return [make.random("f32", n), make.zeros("f32", n), make.zeros("f32", n), by]

    check_native_launches(ALMOST, arguments, LINES, width=32)


@pytest.mark.parametrize("shift", [0, 2, 3, 4, 6])
@pytest.mark.parametrize("by", [1, 7, 16])
@pytest.mark.parametrize(("type_", "width"), [("f32", 64), ("f64", 16), ("i8", "auto")])
def test_digits_of_ids(type_: str, width: Width, by: int, shift: int):
    """Rows of all lengths: whole, cut by masks, shorter than a vector."""

    def arguments(make: Maker) -> list[Any]:
        padded = 2 * make.n + (2 << shift)
        shape = (make.n >> shift) + 1, 2 << shift
        arrays = make.random(type_, padded), make.zeros(type_, *shape)
        return [*arrays, make.zeros(type_, padded), by, shift]

    source = DIGITS.replace("T>", f"{type_}>")
    assert "rows" in str(compiled(source, 16))
    assert ("every other row" in str(compiled(source, 16))) == (type_ != "i8")
    check_native_launches(source, arguments, LINES, width=width)


ODD_LANES = """
spmd.kernel @odd(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %odd = arith.andi %i, %c1 : index
  %even = arith.xori %odd, %c1 : index
  %far = arith.shli %even, %c4 : index
  %at = arith.addi %i, %far : index
  %where = arith.cmpi eq, %odd, %c1 : index
  scf.if %where {
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("width", [4, 8, 32])
def test_rows_whose_first_lane_is_not_active(width: Width):
    """What it would access is 16 further, and is not where the row begins."""

    def arguments(make: Maker) -> list[Any]:
        return [make.random("f32", make.n + 32), make.zeros("f32", make.n)]

    check_native_launches(ODD_LANES, arguments, LINES, width=width)
