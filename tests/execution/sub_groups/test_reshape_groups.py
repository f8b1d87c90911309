"""`reshape-groups` must not change what a launch computes, with whole groups and others."""

from __future__ import annotations

from itertools import product

import pytest

import spmd
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.passes.sub_groups.reshape_groups import ReshapeGroupsPass
from spmd.runtime.arguments.sizes import make_range
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    EXACT,
    Launch,
    Maker,
    assert_same,
    check_native,
    expected,
    kernel_name,
    make,
    parsed,
    run_module,
)

STEPS = """
spmd.kernel @steps(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %j = spmd.global_id y
  %k = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %plane = arith.muli %k, %ny : index
  %line = arith.addi %plane, %j : index
  %row = arith.muli %line, %nx : index
  %at = arith.addi %row, %i : index
  %inside = arith.cmpi ne, %i, %c0 : index
  scf.if %inside {
    %v = memref.load %x[%at] : memref<?xi32>
    %sum = arith.addi %i, %j : index
    %sum32 = arith.index_cast %sum : index to i32
    %w = arith.muli %v, %sum32 : i32
    memref.store %w, %x[%at] : memref<?xi32>
  }
  spmd.return
}
"""

BY_HAND = STEPS.replace(
    "%i = spmd.global_id x",
    """%group = spmd.group_id x
  %size = spmd.SIZE x
  %local = spmd.local_id x
  %base = arith.muli %group, %size : index
  %i = arith.addi %local, %base : index""",
)

FLAT = """
spmd.kernel @flat(%in: memref<?xi32>, %out: memref<?xi32>) {
  %gx = spmd.group_id x
  %sx = spmd.enqueued_local_size x
  %lx = spmd.local_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %plane = arith.muli %z, %ny : index
  %line = arith.addi %plane, %y : index
  %n = arith.index_cast %nx : index to TYPE
  %j = arith.index_cast %line : index to TYPE
  %g = arith.index_cast %gx : index to TYPE
  %s = arith.index_cast %sx : index to TYPE
  %l = arith.index_cast %lx : index to TYPE
  %base = arith.muli %g, %s FLAGS : TYPE
  %i = arith.addi %base, %l FLAGS : TYPE
  %row = arith.muli %j, %n FLAGS : TYPE
  %at = arith.addi %row, %i FLAGS : TYPE
  %below = arith.addi %at, %n FLAGS : TYPE
  %at_1 = arith.index_castui %at : TYPE to index
  %below_1 = arith.index_castui %below : TYPE to index
  %v = memref.load %in[%at_1] : memref<?xi32>
  %w = memref.load %in[%below_1] : memref<?xi32>
  %sum = arith.addi %v, %w : i32
  %to = arith.muli %line, %nx : index
  %first = arith.muli %gx, %sx : index
  %mine = arith.addi %lx, %first : index
  %here = arith.addi %to, %mine : index
  memref.store %sum, %out[%here] : memref<?xi32>
  spmd.return
}
"""
"""Rows below each other, by ids of some type, which may wrap."""

LAUNCHES = (
    Launch((64, 64), (4, 32)),
    Launch((70, 9), (4, 3)),
    Launch((67,), (2,)),
    Launch((3, 40), (1, 8)),
    Launch((68, 5, 3), (3, 5, 1)),
)


def steps(maker: Maker):
    return [maker.integers("i32", -99, 99, maker.n)]


@pytest.mark.parametrize(
    "source", [STEPS, BY_HAND.replace("SIZE", "enqueued_local_size")]
)
@pytest.mark.parametrize("launch", LAUNCHES, ids=str)
def test_another_size_computes_the_same(launch: Launch, source: str):
    x, y, z, *_ = (*launch.global_size, 1, 1)
    ex, ey, ez, *_ = (*launch.group_size, 1, 1)
    groups = make_range("steps", (x, y, z), (ex, ey, ez)).made_for()
    module = parsed(source).clone()
    specialize = SpmdSpecializePass(
        work_group_size=groups.size,
        full_groups=groups.full,
        any_size_up_to=groups.room,
    )
    for step in (specialize, ReshapeGroupsPass()):
        step.apply(make_context(), module)
    module.verify()
    (kernel,) = kernels_in(module)
    assert kernel.group_size is not None
    if launch.global_size[0] > 64:
        assert kernel.group_size[0] >= 16
    args = make(steps, launch)
    reshaped = Launch(launch.global_size, kernel.group_size)
    run_module(module, kernel_name(module), args, reshaped)
    assert_same(args, expected(source, steps, launch), EXACT, str(reshaped))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("launch", LAUNCHES, ids=str)
def test_native(launch: Launch, threads: int):
    check_native(STEPS, steps, launch, threads=threads)
    if launch is LAUNCHES[0]:
        check_native(BY_HAND.replace("SIZE", "local_size"), steps, launch)


@pytest.mark.parametrize(
    ("type_", "flags"), [("i32", "overflow<nsw>"), ("i32", ""), ("i8", "")]
)
@pytest.mark.parametrize("launch", LAUNCHES, ids=str)
def test_ids_of_few_bits(launch: Launch, type_: str, flags: str):
    def flat(maker: Maker):
        room = 2 * maker.n + 256
        return [maker.integers("i32", -99, 99, room), maker.zeros("i32", maker.n)]

    source = FLAT.replace("TYPE", type_).replace("FLAGS", flags)
    check_native(source, flat, launch)


COLUMNS = """
spmd.kernel @columns(%x: memref<?x?xi32>, %y: memref<?x?xi32>) {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%i, %j] : memref<?x?xi32>
  memref.store %v, %y[%i, %j] : memref<?x?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("size", [(16, 300), (5, 512)])
def test_groups_are_long_where_memory_is(size: tuple[int, int]):
    def columns(maker: Maker):
        return [maker.integers("i32", -99, 99, *size), maker.zeros("i32", *size)]

    check_native(COLUMNS, columns, Launch(size, (16, 16)))
    kernel = spmd.compile(COLUMNS)["columns"]
    (facts,) = kernel.explain(global_size=size, group_size=(16, 16)).kernels
    assert facts.group_size is not None
    x, y, _ = facts.group_size
    assert y > 16 > x


def _stencil(side: int) -> str:
    """The sum of `side` times `side` neighbours."""
    lines = [f"%c{d} = arith.constant {d} : index" for d in range(side)]
    for d in range(side):
        lines.append(f"%x{d} = arith.addi %i, %c{d} : index")
        lines.append(f"%y{d} = arith.addi %j, %c{d} : index")
    lines.append("%s0 = arith.constant 0.0 : f64")
    for number, (y, x) in enumerate(product(range(side), repeat=2)):
        lines.append(f"%v{number} = memref.load %a[%y{y}, %x{x}] : memref<?x?xf64>")
        lines.append(f"%s{number + 1} = arith.addf %s{number}, %v{number} : f64")
    body = "\n  ".join(lines)
    return f"""
spmd.kernel @stencil(%a: memref<?x?xf64>, %out: memref<?x?xf64>) {{
  %i = spmd.global_id x
  %j = spmd.global_id y
  {body}
  memref.store %s{side * side}, %out[%j, %i] : memref<?x?xf64>
  spmd.return
}}
"""


def test_rows_are_long_where_the_row_of_groups_before_has_loaded_what_they_share():
    def arrays(maker: Maker):
        x, y = maker.launch.global_size
        return [maker.random("f64", y + 4, x + 4), maker.zeros("f64", y, x)]

    source, launch = _stencil(5), Launch((64, 64), (16, 16))
    check_native(source, arrays, launch)
    kernel = spmd.compile(source, target="x86-64-v4")["stencil"]
    (facts,) = kernel.explain(global_size=(64, 64), group_size=(16, 16)).kernels
    assert facts.group_size == (64, 4, 1)


def test_it_is_told():
    program = spmd.compile(STEPS)
    sizes = {"global_size": (64, 64), "group_size": (2, 32)}
    assert " instead of 2 x 32: lanes cost less" in str(
        program["steps"].explain(**sizes)
    )
    (facts,) = program["steps"].explain(**sizes).kernels
    assert facts.asked_group_size == (2, 32, 1)
    fixed = spmd.compile(STEPS, width=16)["steps"].explain(**sizes)
    assert fixed.kernels[0].group_size == (2, 32, 1)
