"""Elements that neighbouring lanes share are those that each lane loads alone."""

from __future__ import annotations

from typing import Any

import pytest

import spmd
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Maker, check_native_launches, check_passes

KERNEL = """
spmd.kernel @shared(%x: memref<?xT>, %y: memref<?xT>, %by: index) {{
  %c1 = arith.constant 1 : index
  %step = arith.constant {step} : {of}
  %first = arith.constant {first} : {of}
  %divisor = arith.constant {divisor} : {of}
  %id = spmd.global_id x
  %i = arith.{cast} %id : index to {of}
  %times = arith.muli %i, %step overflow<nsw> : {of}
  %number = arith.addi %times, %first overflow<nsw> : {of}
  %quotient = arith.{divide} %number, %divisor : {of}
  %part = arith.{cast} %quotient : {of} to index
  %at = arith.addi %by, %part : index
  %v = memref.load %x[%at] : memref<?xT>
  memref.store %v, %y[%id] : memref<?xT>
  spmd.return
}}
"""
"""Loads from `by + (step * i + first) / divisor`."""

CASES = [
    # divide, divisor, step, first, index type, element type, width
    ("divui", 2, 1, 0, "index", "f32", 32),
    ("divui", 2, 1, 1, "index", "f64", 8),
    ("divsi", 3, 1, 5, "index", "i8", 16),
    ("shrui", 2, 3, 1, "index", "i16", 8),
    ("shrsi", 1, 1, -7, "index", "f32", 16),
    ("floordivsi", 7, 6, -50, "i64", "f32", 8),
    ("divui", 5, 2, 3, "index", "i1", 16),
    ("divui", 64, 1, 13, "index", "f64", 4),
    ("divui", 1000, 999, 1, "index", "i64", 16),
    ("floordivsi", 2, 1, -1, "i64", "bf16", 64),
    ("divui", 3, 2, 1, "index", "i8", 64),
    ("divui", 9, 8, 4, "index", "i16", 32),
]


def _kernel(
    divide: str, divisor: int, step: int, first: int, of: str, type_: str
) -> str:
    text = KERNEL.format(
        divide=divide,
        divisor=divisor,
        step=step,
        first=first,
        of=of,
        cast="addi" if of == "index" else "index_cast",
    )
    if of == "index":  # There is nothing to cast.
        text = text.replace("addi %id : index to index", "addi %id, %none : index")
        text = text.replace(
            "addi %quotient : index to index", "addi %quotient, %none : index"
        )
        text = text.replace("  %c1 =", "  %none = arith.constant 0 : index\n  %c1 =")
    return text.replace("T>", f"{type_}>")


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_elements_that_lanes_share(case: tuple[str, int, int, int, str, str, int]):
    """The array ends with what the last work-item loads, so nothing else may be."""
    divide, divisor, step, first, of, type_, width = case
    kernel = _kernel(divide, divisor, step, first, of, type_)
    by = 1 << divisor if divide.startswith("shr") else divisor
    before = -(first // by) if first < 0 else 0

    def arguments(make: Maker) -> list[Any]:
        last = before + (step * (make.n - 1) + first) // by
        arrays = make.random(type_, last + 1), make.zeros(type_, make.n)
        return [*arrays, before]

    steps = (SpmdToLoopsPass(), VectorizePass(width=width))
    check_passes(kernel, arguments, LINES, *steps)
    check_native_launches(kernel, arguments, LINES, width=width)
    code = spmd.compile(kernel, width=width).ir("vectorize")
    assert f"lanes share elements, as an index is divided by {by}" in code


@pytest.mark.parametrize(
    ("divide", "divisor", "step", "first", "of"),
    [
        ("divui", 2, 2, 0, "index"),  # Neighbours have no element in common.
        ("divui", 4, 5, 0, "index"),
        ("divsi", 2, 1, -7, "index"),  # Rounded up where it is negative.
        ("divui", 2, -1, 500, "index"),  # Backwards.
        ("ceildivui", 2, 1, 0, "index"),
    ],
)
def test_what_is_gathered(divide: str, divisor: int, step: int, first: int, of: str):
    kernel = _kernel(divide, divisor, step, first, of, "f32")

    def arguments(make: Maker) -> list[Any]:
        return [make.random("f32", 1000), make.zeros("f32", make.n), 20]

    check_native_launches(kernel, arguments, LINES, width=8)
    assert "lanes share" not in spmd.compile(kernel, width=8).ir("vectorize")
