"""Collectives do not compute what they combine where this would change what it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.dialects.spmd import KernelOp
from spmd.passes.collectives.collective_fusion import fuse_collectives
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse

LINE = """
spmd.kernel @line(%n: index, %x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %context = memref.alloca() {spmd.context = ""} : memref<8xi32>
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xi32>
    memref.store %v, %context[%lx] : memref<8xi32>
  } {spmd.work_items = array<i64: 0>}
  %sum = scf.for %ix = %c0 to %n step %c1 iter_args(%total = %zero) -> (i32) {
    %w = memref.load %context[%ix] : memref<8xi32>
    %next = arith.addi %total, %w : i32
    scf.yield %next : i32
  }
  memref.store %sum, %out[%c0] : memref<?xi32>
  spmd.return
}
"""

PLANE = """
spmd.kernel @plane(%n: index, %x: memref<?x?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %context = memref.alloca() {spmd.context = ""} : memref<8x8xi32>
  scf.for %ly = %c0 to %n step %c1 {
    scf.for %lx = %c0 to %n step %c1 {
      %v = memref.load %x[%ly, %lx] : memref<?x?xi32>
      memref.store %v, %context[%ly, %lx] : memref<8x8xi32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  %sum = scf.for %iy = %c0 to %n step %c1 iter_args(%total = %zero) -> (i32) {
    %row = scf.for %ix = %c0 to %n step %c1 iter_args(%part = %total) -> (i32) {
      %w = memref.load %context[%iy, %ix] : memref<8x8xi32>
      %next = arith.addi %part, %w : i32
      scf.yield %next : i32
    }
    scf.yield %row : i32
  }
  memref.store %sum, %out[%c0] : memref<?xi32>
  spmd.return
}
"""

LOADED = "%v = memref.load %x[%lx] : memref<?xi32>\n"
STORED = "    memref.store %v, %context[%lx] : memref<8xi32>\n"
TAKEN = "    %w = memref.load %context[%ix] : memref<8xi32>\n"
FILLED = "  } {spmd.work_items = array<i64: 0>}\n"
SUMMED = """  %sum = scf.for %ix = %c0 to %n step %c1 iter_args(%total = %zero) -> (i32) {
"""
AGAIN = f"""  scf.for %lx = %c0 to %n step %c1 {{
    memref.store %zero, %context[%lx] : memref<8xi32>
{FILLED}"""
IN_OUT = "memref.store %zero, %out[%c0] : memref<?xi32>\n"


def doubled(times: int) -> str:
    """So many operations on what is loaded, the last of them called `%v`."""
    names = ["%u", *(f"%u{n}" for n in range(times - 1)), "%v"]
    return "%u = memref.load %x[%lx] : memref<?xi32>\n" + "".join(
        f"    {new} = arith.addi {old}, {old} : i32\n" for old, new in pairwise(names)
    )


def divided(name: str) -> str:
    return f"""%u = memref.load %x[%lx] : memref<?xi32>
    %v = arith.{name} %u, %u : i32
"""


DIVISIONS = ("divui", "divsi", "remui", "remsi", "ceildivui", "ceildivsi", "floordivsi")

KEPT = {
    "filled by a loop that is not over work-items": (LINE, FILLED, "  }\n"),
    "filled by a loop that carries something": (
        LINE,
        "  scf.for %lx = %c0 to %n step %c1 {",
        "  %last = scf.for %lx = %c0 to %n step %c1 iter_args(%k = %zero) -> (i32) {",
        STORED,
        STORED + "    scf.yield %v : i32\n",
    ),
    "combined by a loop over work-items": (
        LINE,
        "scf.yield %next : i32\n  }",
        "scf.yield %next : i32\n" + FILLED,
    ),
    "combined by a loop that carries two values": (
        LINE,
        SUMMED,
        "  %sum, %last = scf.for %ix = %c0 to %n step %c1 "
        "iter_args(%total = %zero, %k = %zero) -> (i32, i32) {\n",
        "scf.yield %next : i32",
        "scf.yield %next, %w : i32, i32",
    ),
    "filled, and more before the inner loop": (
        PLANE,
        "    scf.for %lx",
        f"    {IN_OUT}    scf.for %lx",
    ),
    "filled, and more after the inner loop": (
        PLANE,
        FILLED[2:] + "  }",
        FILLED[2:] + f"    {IN_OUT}  }}",
    ),
    "combined, and more before the inner loop": (
        PLANE,
        "    %row",
        f"    {IN_OUT}    %row",
    ),
    "combined, and more after the inner loop": (
        PLANE,
        "    scf.yield %row",
        f"    {IN_OUT}    scf.yield %row",
    ),
    "combined twice": (
        LINE,
        "    %next = arith.addi %total, %w : i32",
        f"{TAKEN.replace('%w', '%again')}"
        "    %both = arith.muli %w, %again : i32\n"
        "    %next = arith.addi %total, %both : i32",
    ),
    "filled twice": (LINE, SUMMED, AGAIN + SUMMED),
    "stored twice": (LINE, STORED, STORED.replace("%v", "%zero") + STORED),
    "seen through another memref": (
        LINE,
        "  spmd.return",
        "  %seen = memref.cast %context : memref<8xi32> to memref<?xi32>\n"
        "  spmd.return",
    ),
    "of other work-items": (
        LINE,
        "%ix = %c0 to %n step",
        "%ix = %c1 to %n step",
    ),
    "not filled in order": (LINE, "%context[%lx]", "%context[%c0]"),
    "not combined in order": (LINE, "%context[%ix]", "%context[%c0]"),
    "too long": (LINE, LOADED, doubled(8)),
    "a store beside it": (LINE, STORED, f"    {IN_OUT}{STORED}"),
    "a store while it is combined": (LINE, TAKEN, TAKEN + f"    {IN_OUT}"),
    "a store in between": (LINE, SUMMED, f"  {IN_OUT}{SUMMED}"),
    "a loop with a store in between": (
        LINE,
        SUMMED,
        f"  scf.for %k = %c0 to %n step %c1 {{\n    {IN_OUT}  }}\n{SUMMED}",
    ),
    **{f"divided by {name}": (LINE, LOADED, divided(name)) for name in DIVISIONS},
}

FUSED = {
    "a line": (LINE,),
    "a plane": (PLANE,),
    "just short enough": (LINE, LOADED, doubled(7)),
    "a number in between": (
        LINE,
        SUMMED,
        f"  %k = arith.addi %n, %c1 : index\n{SUMMED}",
    ),
}


def edited(source: str, *pairs: str) -> ModuleOp:
    """The module of `source`, with each second text instead of the one in front."""
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert source.count(old) == 1, f"expected to find once: {old}"
        source = source.replace(old, new)
    return parse(SourceText("kernel.mlir", source))


def fused(module: ModuleOp) -> ModuleOp:
    module = module.clone()
    for op in module.ops:
        assert isinstance(op, KernelOp)
        fuse_collectives(op)
    module.verify()
    return module


@pytest.mark.parametrize("case", KEPT)
def test_what_is_combined_stays_where_it_is_computed(case: str):
    module = edited(*KEPT[case])
    assert str(fused(module)) == str(module)


@pytest.mark.parametrize("case", FUSED)
def test_these_are_fused(case: str):
    module = fused(edited(*FUSED[case]))
    assert "spmd.context" not in str(module)
    assert "spmd.work_items" not in str(module)
