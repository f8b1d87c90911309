"""Sub-groups in the interior of an array, at its border, and beyond both edges at once."""

from __future__ import annotations

import numpy as np
import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.edges.version_edges import VersionEdgesPass
from spmd.passes.sub_groups.edges.version_interiors import VersionInteriorsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

# What becomes of %NAME_x, of %n elements, in %NAME_at. Each NAME has its own.
BENT = {
    "clamped": """
      %NAME_low = arith.maxsi %NAME_x, %c0 : index
      %NAME_at = arith.minsi %NAME_low, %last : index""",
    "clamped to the other side first": """
      %NAME_low = arith.minsi %last, %NAME_x : index
      %NAME_at = arith.maxsi %c0, %NAME_low : index""",
    "wrapped": """
      %NAME_rest = arith.remsi %NAME_x, %n : index
      %NAME_sign = arith.xori %n, %NAME_rest : index
      %NAME_other = arith.cmpi slt, %NAME_sign, %c0 : index
      %NAME_some = arith.cmpi ne, %NAME_rest, %c0 : index
      %NAME_down = arith.andi %NAME_other, %NAME_some : i1
      %NAME_more = arith.addi %n, %NAME_rest : index
      %NAME_at = arith.select %NAME_down, %NAME_more, %NAME_rest : index""",
    "wrapped from above": """
      %NAME_up = arith.addi %NAME_x, %n : index
      %NAME_at = arith.remui %NAME_up, %n : index""",
    "wrapped from far above": """
      %NAME_up = arith.muli %n, %c8 : index
      %NAME_above = arith.addi %NAME_x, %NAME_up : index
      %NAME_at = arith.remsi %NAME_above, %n : index""",
    "chosen": """
      %NAME_is_low = arith.cmpi slt, %NAME_x, %c0 : index
      %NAME_is_high = arith.cmpi sge, %NAME_x, %n : index
      %NAME_some = arith.select %NAME_is_high, %c0, %NAME_x : index
      %NAME_at = arith.select %NAME_is_low, %last, %NAME_some : index""",
    "chosen at once": """
      %NAME_is_low = arith.cmpi sle, %c0, %NAME_x : index
      %NAME_is_high = arith.cmpi sgt, %n, %NAME_x : index
      %NAME_is = arith.andi %NAME_is_low, %NAME_is_high : i1
      %NAME_at = arith.select %NAME_is, %NAME_x, %half : index""",
    "chosen twice at one side": """
      %NAME_is_far = arith.cmpi slt, %NAME_x, %cm1 : index
      %NAME_is_low = arith.cmpi slt, %NAME_x, %c0 : index
      %NAME_most = arith.minsi %NAME_x, %last : index
      %NAME_some = arith.select %NAME_is_low, %half, %NAME_most : index
      %NAME_at = arith.select %NAME_is_far, %last, %NAME_some : index""",
    "chosen by a clamped number": """
      %NAME_low = arith.maxsi %NAME_x, %cm3 : index
      %NAME_above = arith.addi %NAME_x, %c32 : index
      %NAME_is = arith.cmpi slt, %NAME_low, %c0 : index
      %NAME_up = arith.select %NAME_is, %NAME_above, %c0 : index
      %NAME_at = arith.minsi %NAME_up, %last : index""",
    "chosen by where others are": """
      %NAME_from_end = arith.subi %last, %i : index
      %NAME_is = arith.cmpi sge, %NAME_from_end, %c4 : index
      %NAME_at = arith.select %NAME_is, %i, %c0 : index""",
    "in a part of the row": """
      %NAME_y = arith.addi %i, %d : index
      %NAME_low = arith.maxsi %NAME_y, %c0 : index
      %NAME_some = arith.minsi %NAME_low, %half : index
      %NAME_is = arith.cmpi slt, %i, %quarter : index
      %NAME_off = arith.select %NAME_is, %last_part, %c0 : index
      %NAME_at = arith.addi %NAME_some, %NAME_off : index""",
    "unsigned": """
      %NAME_at = arith.minui %NAME_x, %last : index""",
    "clamped in 32 bits": """
      %NAME_x32 = arith.index_cast %NAME_x : index to i32
      %NAME_last32 = arith.index_cast %last : index to i32
      %NAME_low = arith.maxsi %NAME_x32, %zero32 : i32
      %NAME_at32 = arith.minsi %NAME_low, %NAME_last32 : i32
      %NAME_at = arith.index_cast %NAME_at32 : i32 to index""",
    "wrapped, then clamped": """
      %NAME_up = arith.muli %n, %c16 : index
      %NAME_above = arith.addi %NAME_x, %NAME_up : index
      %NAME_around = arith.remsi %NAME_above, %n : index
      %NAME_at = arith.minsi %NAME_around, %half : index""",
}

# What %NAME_x is, %i being the number of the work-item and %d small.
ALONG = {
    "rising": "%NAME_x = arith.addi %i, %d : index",
    "falling": """
      %NAME_back = arith.subi %last, %i : index
      %NAME_x = arith.subi %NAME_back, %d : index""",
    "every other": """
      %NAME_twice = arith.muli %i, %c2 : index
      %NAME_x = arith.addi %NAME_twice, %d : index""",
    "far apart": """
      %NAME_away = arith.muli %d, %c8 : index
      %NAME_x = arith.subi %i, %NAME_away : index""",
}

LOOP = """
    %r = scf.for %d = %cm3 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
      BENT
      %v = memref.load %x[%j, %a_at] : memref<?x?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }"""

WRITTEN_OUT = """
    %d = arith.constant -1 : index
    BENT
    %v = memref.load %x[%j, %a_at] : memref<?x?xf32>
    %w = memref.load %x[%j, %i] : memref<?x?xf32>
    %r = arith.subf %v, %w : f32"""

ALONG_BOTH = """
    %r = scf.for %d = %cm3 to %c4 step %c2 iter_args(%s = %zero) -> (f32) {
      BENT
      %down = arith.addi %j, %d : index
      %down_low = arith.maxsi %down, %c0 : index
      %down_at = arith.minsi %down_low, %last_row : index
      %v = memref.load %x[%down_at, %a_at] : memref<?x?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }"""

STORED = """
    %d = arith.constant 1 : index
    BENT
    %v = memref.load %x[%j, %a_at] : memref<?x?xf32>
    %r = arith.addf %v, %v : f32
    %same = arith.cmpi eq, %a_at, %i : index
    scf.if %same {
      memref.store %v, %y[%j, %a_at] : memref<?x?xf32>
    }"""

BY_WHAT_WAS_LOADED = """
    %d = arith.constant -1 : index
    BENT
    %v = memref.load %x[%j, %a_at] : memref<?x?xf32>
    %large = arith.constant 100.0 : f32
    %is_large = arith.cmpf ogt, %v, %large : f32
    %off32 = arith.extui %is_large : i1 to i32
    %off = arith.index_cast %off32 : i32 to index
    %there = arith.addi %a_at, %off : index
    %w = memref.load %x[%j, %there] : memref<?x?xf32>
    %r = arith.addf %v, %w : f32"""

BODIES = {
    "loop": LOOP,
    "written out": WRITTEN_OUT,
    "along both": ALONG_BOTH,
    "stored": STORED,
    "by what was loaded": BY_WHAT_WAS_LOADED,
}

EVERYWHERE = "arith.cmpi sge, %i, %c0 : index"
SOMEWHERE = "arith.cmpi eq, %odd, %c1 : index"


def kernel(bent: str, along: str, body: str, where: str = EVERYWHERE) -> str:
    """What `body` does to bent indices, of the work-items where a condition holds."""
    index = (along + bent).replace("NAME", "a")
    return f"""
spmd.kernel @around(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %cm1 = arith.constant -1 : index
  %cm3 = arith.constant -3 : index
  %zero = arith.constant 0.0 : f32
  %zero32 = arith.constant 0 : i32
  %i = spmd.global_id x
  %j = spmd.global_id y
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %last = arith.subi %n, %c1 : index
  %last_row = arith.subi %rows, %c1 : index
  %half = arith.shrui %n, %c1 : index
  %quarter = arith.shrui %half, %c1 : index
  %before = arith.subi %last, %quarter : index
  %far_before = arith.addi %before, %cm3 : index
  %last_part = arith.maxsi %far_before, %c0 : index
  %odd = arith.andi %i, %c1 : index
  %where = {where}
  scf.if %where {{
    {body.replace("BENT", index)}
    memref.store %r, %y[%j, %i] : memref<?x?xf32>
  }}
  spmd.return
}}
"""


def arguments(make: Maker) -> list[np.ndarray]:
    shape = (1, *make.size)[-2:]
    return [make.random("f32", *shape), make.zeros("f32", *shape)]


LAUNCHES = (
    Launch((3,), (64,)),
    Launch((70,), (64,)),
    Launch((320,), (64,)),
    Launch((32, 8), (16, 8)),
    Launch((100, 9), (16, 4)),
)


@pytest.mark.parametrize("where", [EVERYWHERE, SOMEWHERE], ids=["all", "odd"])
@pytest.mark.parametrize("bent", BENT)
def test_the_pass_keeps_the_meaning(bent: str, where: str):
    steps = (
        SpmdToLoopsPass(),
        FormSubGroupsPass(8),
        VersionInteriorsPass(),
        VersionEdgesPass(),
        MaskDivergencePass(),
    )
    for body in BODIES.values():
        text = kernel(BENT[bent], ALONG["rising"], body, where)
        check_passes(text, arguments, LAUNCHES[:2], *steps)


@pytest.mark.parametrize("shape", [(), (4, 2), (8,), (32,)], ids=str)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("bent", BENT)
def test_native_code(bent: str, body: str, shape: tuple[int, ...]):
    for number, launch in enumerate(LAUNCHES):
        if len(launch.global_size) < len(shape):
            continue
        where = (EVERYWHERE, SOMEWHERE)[number % 2]
        # Each is beside each of the others somewhere.
        along = [*ALONG.values()][(number + sum(shape) + len(body)) % len(ALONG)]
        text = kernel(BENT[bent], along, BODIES[body], where)
        check_native(text, arguments, launch, shape=shape)


@pytest.mark.parametrize("bent", ["clamped", "wrapped", "wrapped from above", "chosen"])
def test_nothing_is_gathered_but_beyond_both_edges(bent: str):
    module = parsed(kernel(BENT[bent], ALONG["rising"], LOOP)).clone()
    for step in (SpmdToLoopsPass(), VectorizePass(width=8)):
        step.apply(make_context(), module)
    _, interior, *_ = str(module).split("scf.if %interior")
    interior, border = interior.split("scf.if %border")
    border, anywhere = border.split("} else {\n", 1)
    assert "vector.load %x" in interior
    assert "vector.maskedload %x" in border
    assert "vector.gather %x" not in interior + border
    assert "vector.gather %x" in anywhere
