"""Lanes load the same elements, near an edge or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.edges.version_edges import VersionEdgesPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    LINES,
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

INDICES = {
    "clamped": """
      %low = arith.maxsi %x, %c0 : index
      %at = arith.minsi %low, %last : index""",
    "clamped twice": """
      %low = arith.maxsi %x, %c2 : index
      %some = arith.minsi %low, %last : index
      %off = arith.subi %some, %c2 : index
      %above = arith.addi %off, %c1 : index
      %at = arith.minsi %above, %last : index""",
    "rounded down": """
      %rest = arith.remsi %x, %n : index
      %sign = arith.xori %n, %rest : index
      %other = arith.cmpi slt, %sign, %c0 : index
      %some = arith.cmpi ne, %rest, %c0 : index
      %down = arith.andi %other, %some : i1
      %more = arith.addi %n, %rest : index
      %at = arith.select %down, %more, %rest : index""",
    "made positive": """
      %rest = arith.remsi %x, %n : index
      %down = arith.cmpi slt, %rest, %c0 : index
      %more = arith.addi %rest, %n : index
      %at = arith.select %down, %more, %rest : index""",
    "unsigned": """
      %up = arith.muli %n, %c8 : index
      %above = arith.addi %x, %up : index
      %at = arith.remui %above, %n : index""",
    "64 bits": """
      %x64 = arith.index_cast %x : index to i64
      %last64 = arith.index_cast %last : index to i64
      %zero64 = arith.constant 0 : i64
      %low = arith.maxsi %x64, %zero64 : i64
      %at64 = arith.minsi %low, %last64 : i64
      %at = arith.index_cast %at64 : i64 to index""",
}


def kernel(index: str, where: str) -> str:
    """The sum of neighbours up to three away, of the work-items where a condition holds."""
    return f"""
spmd.kernel @around(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %cm3 = arith.constant -3 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %j = spmd.global_id y
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %last = arith.subi %n, %c1 : index
  %odd = arith.andi %i, %c1 : index
  %where = {where}
  %r = scf.if %where -> (f32) {{
    %sum = scf.for %d = %cm3 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {{
      %x = arith.addi %i, %d : index{index}
      %v = memref.load %x_array[%j, %at] : memref<?x?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }}
    scf.yield %sum : f32
  }} else {{
    scf.yield %zero : f32
  }}
  memref.store %r, %y[%j, %i] : memref<?x?xf32>
  spmd.return
}}
""".replace("@around(%x:", "@around(%x_array:").replace("dim %x,", "dim %x_array,")


def of_pixels(text: str) -> str:
    """The same kernel of a part of pixels, which lie three elements apart."""
    text = text.replace("%x_array: memref<?x?xf32>", "%x_array: memref<?x?x3xf32>")
    text = text.replace(
        "%x_array, %c1 : memref<?x?xf32>", "%x_array, %c1 : memref<?x?x3xf32>"
    )
    return text.replace(
        "[%j, %at] : memref<?x?xf32>", "[%j, %at, %c2] : memref<?x?x3xf32>"
    )


def pixels(make: Maker) -> list[np.ndarray]:
    shape = (1, *make.size)[-2:]
    return [make.random("f32", *shape, 3), make.zeros("f32", *shape)]


EVERYWHERE = "arith.cmpi sge, %i, %c0 : index"
SOMEWHERE = "arith.cmpi eq, %odd, %c1 : index"


def arguments(make: Maker) -> list[np.ndarray]:
    shape = (1, *make.size)[-2:]
    return [make.random("f32", *shape), make.zeros("f32", *shape)]


@pytest.mark.parametrize("where", [EVERYWHERE, SOMEWHERE], ids=["all", "odd"])
@pytest.mark.parametrize("index", INDICES)
def test_the_pass_keeps_the_meaning(index: str, where: str):
    text = kernel(INDICES[index], where)
    steps = (SpmdToLoopsPass(), FormSubGroupsPass(8), VersionEdgesPass())
    check_passes(text, arguments, LINES[2:], *steps, MaskDivergencePass())
    check_passes(of_pixels(text), pixels, LINES[2:], *steps, MaskDivergencePass())


@pytest.mark.parametrize("shape", [(), (4, 2), (8,)], ids=str)
@pytest.mark.parametrize("index", INDICES)
def test_native_code(index: str, shape: tuple[int, ...]):
    for number, launch in enumerate((*LINES[1:4], *PLANES, Launch((300, 2), (64, 1)))):
        where = (EVERYWHERE, SOMEWHERE)[number % 2]
        if len(launch.global_size) > 1 or len(shape) < 2:
            text = kernel(INDICES[index], where)
            check_native(text, arguments, launch, shape=shape)
            check_native(of_pixels(text), pixels, launch, shape=shape)


@pytest.mark.parametrize("of", [str, of_pixels])
def test_inside_of_edges_nothing_is_gathered(of: Callable[[str], str]):
    module = parsed(of(kernel(INDICES["rounded down"], EVERYWHERE))).clone()
    for step in (SpmdToLoopsPass(), VectorizePass(width=8)):
        step.apply(make_context(), module)
    near = str(module).partition("%inside")[2].partition("} else {")[0]
    assert "vector.load %x_array" in near
    assert "gather" not in near


PERIODS = """
spmd.kernel @periods(%x: memref<?xf32>, %y: memref<?xf32>, %by: i64, %ahead: i64) {
  %i = spmd.global_id x
  %i64 = arith.index_cast %i : index to i64
  %sum = arith.addi %i64, %ahead : i64
  %rest = arith.remsi %i64, %by : i64
  %other = arith.remsi %sum, %by : i64
  %at = arith.index_cast %rest : i64 to index
  %to = arith.index_cast %other : i64 to index
  %v = memref.load %x[%at] : memref<?xf32>
  %w = memref.load %x[%to] : memref<?xf32>
  %s = arith.addf %v, %w : f32
  memref.store %s, %y[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.mark.parametrize("by", [1, 3, 17, 40, 1000, -1, -5, -40])
def test_ids_go_through_periods(by: int):
    def arguments(make: Maker) -> list[object]:
        return [make.random("f32", 1000), make.zeros("f32", make.n), by, 3]

    steps = (SpmdToLoopsPass(), FormSubGroupsPass(8), VersionEdgesPass())
    check_passes(PERIODS, arguments, LINES[2:], *steps, MaskDivergencePass())
    for launch in (*LINES[1:4], Launch((300,), (64,))):
        check_native(PERIODS, arguments, launch, width=8)


def test_periods_are_rows():
    """No lane gathers where all are in one period."""
    module = parsed(PERIODS).clone()
    for step in flatten((SpmdToLoopsPass(), VectorizePass(width=8))):
        if step.name != "version-rows":
            step.apply(make_context(), module)
    assert str(module).count("vector.load %x") == 2
