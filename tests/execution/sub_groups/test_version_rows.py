"""Kernels compute the same where lanes are in one row of flat ids, in two, or in many."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.edges.version_rows import VersionRowsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    LINES,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

DIVISIONS = {
    "unsigned": ("divui", "remui", "index"),
    "signed": ("divsi", "remsi", "index"),
    "floor": ("floordivsi", "remsi", "index"),
    "32 bits": ("divsi", "remsi", "i32"),
    "64 bits": ("divsi", "remsi", "i64"),
}
MANY = 4096
"""Elements of the array that rows and columns are places in."""


def kernel(division: str, step: int = 1) -> str:
    """Loads by row and by column, near an edge of a row or not, and stores by column."""
    quotient, remainder, type_ = DIVISIONS[division]
    if type_ == "index":
        number, cast = "arith.addi %far, %ahead : index", "arith.addi {}, %c0 : index"
    else:
        number = f"arith.index_cast %far : index to {type_}"
        cast = f"arith.index_cast {{}} : {type_} to index"
    return f"""
spmd.kernel @rows(%x: memref<?xi32>, %y: memref<?x4xi32>, %z: memref<?xi32>, %w: {type_}, %ahead: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %step = arith.constant {step} : index
  %one = arith.constant 1 : {type_}
  %last = arith.subi %w, %one : {type_}
  %i = spmd.global_id x
  %far = arith.muli %i, %step : index
  %number = {number}
  %r = arith.{quotient} %number, %w : {type_}
  %c = arith.{remainder} %number, %w : {type_}
  %row = {cast.format("%r")}
  %column = {cast.format("%c")}
  %a = memref.load %x[%row] : memref<?xi32>
  %b = memref.load %x[%column] : memref<?xi32>
  %place = arith.addi %row, %column : index
  %v = memref.load %x[%place] : memref<?xi32>
  memref.store %a, %y[%i, %c0] : memref<?x4xi32>
  memref.store %b, %y[%i, %c1] : memref<?x4xi32>
  memref.store %v, %y[%i, %c2] : memref<?x4xi32>
  %inside = arith.cmpi slt, %c, %last : {type_}
  scf.if %inside {{
    %next = arith.addi %column, %c1 : index
    %n = memref.load %x[%next] : memref<?xi32>
    memref.store %n, %y[%i, %c3] : memref<?x4xi32>
  }}
  %zero = arith.constant 0 : i32
  %first = arith.cmpi eq, %row, %c0 : index
  scf.if %first {{
    memref.store %a, %z[%column] : memref<?xi32>
  }}
  spmd.return
}}
"""


def arguments(width: int, ahead: int):
    def make_all(make: Maker) -> list[Any]:
        rows = make.zeros("i32", make.n, 4)
        return [
            make.random("i32", MANY),
            rows,
            make.zeros("i32", MANY),
            width,
            ahead,
        ]

    return make_all


WIDTHS = [1, 3, 7, 8, 9, 20, 100, 1 << 20]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("division", DIVISIONS)
def test_the_pass_keeps_the_meaning(division: str, width: int):
    steps = (SpmdToLoopsPass(), FormSubGroupsPass(8), VersionRowsPass())
    check_passes(
        kernel(division), arguments(width, 5), LINES[2:], *steps, MaskDivergencePass()
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("division", DIVISIONS)
def test_native_code(division: str, width: int):
    step = 1 + width % 3
    text = kernel(division, step)
    for number, launch in enumerate((*LINES[1:4], Launch((300,), (64,)))):
        lanes = (4, 8, 16, 32)[number]
        check_native(text, arguments(width, 2), launch, width=lanes)


@pytest.mark.parametrize("width", [-1, -3, -8, -20, -(1 << 20)])
def test_remainders_by_negative_numbers(width: int):
    """Of numbers from 0 on, so that remainders are places."""
    text = kernel("64 bits").replace(
        "%a = memref.load %x[%row]", "%a = memref.load %x[%i]"
    )
    text = text.replace("arith.addi %row, %column", "arith.addi %i, %column")
    for launch in LINES[1:4]:
        check_native(text, arguments(width, 0), launch, width=8)


@pytest.mark.parametrize("far", [(1 << 31) - 5, -5, -5000, -(1 << 31), (1 << 63) - 5])
@pytest.mark.parametrize("quotient", ["divsi", "floordivsi"])
@pytest.mark.parametrize("type_", ["i32", "i64"])
def test_numbers_below_zero_and_those_that_wrap_around(
    type_: str, quotient: str, far: int
):
    """Numbers that go from below zero on, or from the greatest to the least, within lanes."""
    text = f"""
spmd.kernel @wraps(%x: memref<?xi32>, %y: memref<?xi32>, %w: {type_}, %far64: i64) {{
  %i = spmd.global_id x
  %far = arith.index_cast %far64 : i64 to index
  %sum = arith.addi %i, %far : index
  %number = arith.index_cast %sum : index to {type_}
  %r = arith.{quotient} %number, %w : {type_}
  %c = arith.remsi %number, %w : {type_}
  %both = arith.xori %r, %c : {type_}
  %mask = arith.constant {MANY - 1} : {type_}
  %low = arith.andi %both, %mask : {type_}
  %at = arith.index_cast %low : {type_} to index
  %v = memref.load %x[%at] : memref<?xi32>
  memref.store %v, %y[%i] : memref<?xi32>
  spmd.return
}}
"""

    def make_all(make: Maker) -> list[Any]:
        return [make.random("i32", MANY), make.zeros("i32", make.n), 1000, far]

    for launch in (*LINES[1:4], Launch((64,), (32,))):
        check_native(text, make_all, launch, width=8)


@pytest.mark.parametrize("first", [0, 10, 101, 120])
@pytest.mark.parametrize("step", [1, 2, 5])
def test_bytes_of_which_there_are_fewer_than_lanes_go(step: int, first: int):
    """From 101 on, the last of 32 lanes is at a positive number again, five apart."""
    text = f"""
spmd.kernel @bytes(%x: memref<?xi32>, %y: memref<?xi32>, %w: i8) {{
  %step = arith.constant {step} : index
  %first = arith.constant {first} : index
  %i = spmd.global_id x
  %far = arith.muli %i, %step : index
  %sum = arith.addi %far, %first : index
  %number = arith.index_cast %sum : index to i8
  %r = arith.divui %number, %w : i8
  %c = arith.remui %number, %w : i8
  %row = arith.index_castui %r : i8 to index
  %column = arith.index_castui %c : i8 to index
  %at = arith.addi %row, %column : index
  %v = memref.load %x[%at] : memref<?xi32>
  memref.store %v, %y[%i] : memref<?xi32>
  spmd.return
}}
"""

    def make_all(make: Maker) -> list[Any]:
        return [make.random("i32", MANY), make.zeros("i32", make.n), 110]

    for width in (8, 32, 64):
        check_native(text, make_all, Launch((128,), (64,)), width=width)


def test_nothing_is_gathered_in_one_row():
    module = parsed(kernel("unsigned").replace("%x[%place]", "%x[%column]")).clone()
    for step in (SpmdToLoopsPass(), VectorizePass(width=8)):
        step.apply(make_context(), module)
    near = str(module).partition("scf.if %one_row")[2].partition("scf.if %two_rows")[0]
    assert "vector.load %x" in near
    assert "gather" not in near
    assert "vector.broadcast %a" in near
