"""`form-sub-groups` must not change what a work-group computes."""

from __future__ import annotations

from typing import Any

import pytest

import spmd
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.choices.vector_width import Width, lanes_in_registers
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.passes.targets import target_named
from tests.execution.harness import (
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
)
from tests.execution.pipelines.vectorize_kernels import CASES

NAMES = ("branches-that-store", "nested-divergent-loops", "private-arrays")

FIXED = """
spmd.kernel @fixed(%x: memref<?xi32>) attributes {work_group_size = array<i64: 21, 3>} {
  %ly = spmd.local_id y
  %lx = spmd.local_id x
  %i = spmd.global_id x
  %j = spmd.global_id y
  %n = spmd.global_size x
  %row = arith.muli %j, %n : index
  %at = arith.addi %row, %i : index
  %v = memref.load %x[%at] : memref<?xi32>
  %l = arith.addi %lx, %ly : index
  %l32 = arith.index_cast %l : index to i32
  %w = arith.muli %v, %l32 : i32
  memref.store %w, %x[%at] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("width", [1, 2, 8, 64, "auto"])
@pytest.mark.parametrize("name", NAMES)
def test_lanes_compute_what_work_items_do(name: str, width: Width):
    CASES[name].check_in_lanes(width)


def _plane(make: Maker):
    return [make.integers("i32", -9, 9, make.n)]


@pytest.mark.parametrize("width", [2, 8, 16, 64])
def test_a_size_that_is_known_gives_the_sub_groups_that_occur(width: int):
    for size in ((21, 3), (42, 6), (50, 4)):
        launch = Launch(size, (21, 3))
        passes = (SpmdToLoopsPass(), FormSubGroupsPass(width=width))
        check_passes(FIXED, _plane, (launch,), *passes)


def test_planes():
    source = FIXED.replace("attributes {work_group_size = array<i64: 21, 3>}", "")
    passes = (SpmdToLoopsPass(), FormSubGroupsPass(width=4))
    check_passes(source, _plane, PLANES, *passes)


SUMS = """
spmd.kernel @sums(%x: memref<?x?xi32>, %y: memref<?x?xi32>) attributes {sub_group_size = 8 : i64} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xi32>
  %sum = spmd.reduce add %v across sub_group : i32
  memref.store %sum, %y[%j, %i] : memref<?x?xi32>
  spmd.return
}
"""

GROUPS = ((8, 3), (24, 2), (6, 4), (21, 1), (3, 5), (12, 2))
"""Rows of whole sub-groups, of parts of them, and a single one."""


@pytest.mark.parametrize("group", GROUPS)
def test_sub_groups_lie_in_rows_or_not(group: tuple[int, int]):
    def arguments(make: Maker):
        return [make.random("i32", *make.size), make.zeros("i32", *make.size)]

    launches = [Launch(size, group) for size in (group, (50, 7))]
    check_passes(SUMS, arguments, launches, SpmdToLoopsPass(), VectorizePass())
    for launch in launches:
        check_native(SUMS, arguments, launch)


def test_lanes_in_rows_access_neighbours():
    code = spmd.compile(SUMS).ir("vectorize")
    rows, _, others = code.partition("    } else {\n      %whole")
    assert "vector.load" in rows
    assert "vector.gather" not in rows
    assert "vector.gather" in others


PRODUCT = """
// One element of a product of matrices with as many rows and columns as there are work-items.
spmd.kernel @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %j = spmd.global_id y
  %n = memref.dim %a, %c1 : memref<?x?xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %a[%j, %k] : memref<?x?xf32>
    %w = memref.load %b[%k, %i] : memref<?x?xf32>
    %vw = arith.mulf %v, %w : f32
    %next = arith.addf %s, %vw : f32
    scf.yield %next : f32
  }
  memref.store %sum, %c[%j, %i] : memref<?x?xf32>
  spmd.return
}
"""


def _matrices(make: Maker):
    x, y = make.launch.global_size
    return [
        make.random("f32", y, 5),
        make.random("f32", 5, x),
        make.random("f32", y, x),
    ]


@pytest.mark.parametrize(
    "options", [{}, {"shape": (16, 16)}, {"shape": (32, 8)}], ids=str
)
def test_tiles_in_registers(options: dict[str, Any]):
    for launch in (Launch((32, 32), (16, 16)), Launch((35, 19), (32, 16))):
        check_native(PRODUCT, _matrices, launch, **options)


def test_where_loops_load_less_lanes_fill_half_of_the_registers():
    program = spmd.compile(PRODUCT, target="x86-64-v4")
    (loop,) = program["product"].explain(group_size=(16, 16)).kernels[0].loops
    assert loop.lanes == lanes_in_registers(32, target_named("x86-64-v4"))
    assert "as many as registers hold" in (loop.why_lanes or "")


WALKS = """
// %lengths steps, then one less, and so on; each goes where the last ones lead.
spmd.kernel @walks(%lengths: memref<?xi32>, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mask = arith.constant 31 : i32
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %length32 = memref.load %lengths[%i] : memref<?xi32>
  %length = arith.index_cast %length32 : i32 to index
  %sum = scf.for %j = %c0 to %length step %c1 iter_args(%s = %zero) -> (i32) {
    %part = scf.for %k = %j to %length step %c1 iter_args(%t = %s) -> (i32) {
      %at32 = arith.andi %t, %mask : i32
      %at = arith.index_cast %at32 : i32 to index
      %v = memref.load %x[%at] : memref<?xi32>
      %w = arith.muli %v, %v : i32
      %next = arith.addi %t, %w : i32
      scf.yield %next : i32
    }
    scf.yield %part : i32
  }
  memref.store %sum, %y[%i] : memref<?xi32>
  spmd.return
}
"""


def test_few_lanes_wait_at_gathers():
    def arguments(make: Maker):
        items = make.launch.global_size[0]
        return [
            make.integers("i32", 0, 7, items),
            make.random("i32", 32),
            make.random("i32", items),
        ]

    check_native(WALKS, arguments, Launch((64,), (64,)))
    program = spmd.compile(WALKS, target="x86-64-v4")
    (loop,) = program["walks"].explain(group_size=(64,)).kernels[0].loops
    assert loop.why_lanes == (
        "width=auto, 1 register of 512 bits with elements of 32 bits, where more lanes would "
        "wait at gathers in loops"
    )


ITEMS = """
spmd.kernel @length(%p: memref<?x4xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.load %p[%i, %c0] : memref<?x4xf32>
  %b = memref.load %p[%i, %c1] : memref<?x4xf32>
  %c = memref.load %p[%i, %c2] : memref<?x4xf32>
  %ab = arith.mulf %a, %b : f32
  %abc = arith.addf %ab, %c : f32
  memref.store %abc, %y[%i] : memref<?xf32>
  spmd.return
}
"""


def test_what_is_loaded_with_a_step_is_held_in_registers():
    def arguments(make: Maker):
        items = make.launch.global_size[0]
        return [make.random("f32", items, 4), make.random("f32", items)]

    check_native(ITEMS, arguments, Launch((77,), (64,)))
    found: dict[str, tuple[int | None, str]] = {}
    for target in ("x86-64-v3", "x86-64-v4"):
        program = spmd.compile(ITEMS, target=target)
        (loop,) = program["length"].explain(group_size=(64,)).kernels[0].loops
        found[target] = loop.lanes, loop.why_lanes or ""
    assert found == {
        "x86-64-v3": (
            8,
            "width=auto, 1 register of 256 bits with elements of 32 bits, where more would not "
            "hold what lanes load with a step",
        ),
        "x86-64-v4": (
            64,
            "width=auto, 4 registers of 512 bits with elements of 32 bits",
        ),
    }


SCALED = """
spmd.kernel @scaled(%p: memref<?x4xf32>, %q: memref<?x4xf32>, %s: f32) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = memref.load %p[%i, %c0] : memref<?x4xf32>
  %b = memref.load %p[%i, %c1] : memref<?x4xf32>
  %c = memref.load %p[%i, %c2] : memref<?x4xf32>
  %d = memref.load %p[%i, %c3] : memref<?x4xf32>
  %as = arith.mulf %a, %s : f32
  %ab = arith.mulf %a, %b : f32
  %cs = arith.mulf %c, %s : f32
  %cd = arith.mulf %c, %d : f32
  memref.store %as, %q[%i, %c0] : memref<?x4xf32>
  memref.store %ab, %q[%i, %c1] : memref<?x4xf32>
  memref.store %cs, %q[%i, %c2] : memref<?x4xf32>
  memref.store %cd, %q[%i, %c3] : memref<?x4xf32>
  spmd.return
}
"""


def test_what_is_loaded_and_stored_with_a_step_is_held_in_registers():
    """Also where shuffles need no registers in between."""

    def arguments(make: Maker):
        items = make.launch.global_size[0]
        return [make.random("f32", items, 4), make.random("f32", items, 4), 0.5]

    check_native(SCALED, arguments, Launch((77,), (64,)))
    program = spmd.compile(SCALED, target="x86-64-v4")
    (loop,) = program["scaled"].explain(group_size=(64,)).kernels[0].loops
    assert loop.lanes == 32
    assert loop.why_lanes == (
        "width=auto, 2 registers of 512 bits with elements of 32 bits, where more would not "
        "hold what lanes load with a step"
    )


PIXELS = """
spmd.kernel @gray(%p: memref<?x4xi8>, %y: memref<?xi8>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %eight = arith.constant 8 : i32
  %r = memref.load %p[%i, %c0] : memref<?x4xi8>
  %g = memref.load %p[%i, %c1] : memref<?x4xi8>
  %b = memref.load %p[%i, %c2] : memref<?x4xi8>
  %factor_r = arith.constant 77 : i32
  %factor_g = arith.constant 150 : i32
  %factor_b = arith.constant 29 : i32
  %wide_r = arith.extui %r : i8 to i32
  %wide_g = arith.extui %g : i8 to i32
  %wide_b = arith.extui %b : i8 to i32
  %part_r = arith.muli %wide_r, %factor_r : i32
  %part_g = arith.muli %wide_g, %factor_g : i32
  %part_b = arith.muli %wide_b, %factor_b : i32
  %rg = arith.addi %part_r, %part_g : i32
  %rgb = arith.addi %rg, %part_b : i32
  %high = arith.shrsi %rgb, %eight : i32
  %gray = arith.trunci %high : i32 to i8
  memref.store %gray, %y[%i] : memref<?xi8>
  spmd.return
}
"""


def test_bytes_take_less_registers_and_cycles_than_what_they_are_extended_to():
    """Steps over bytes are as short as those over words, and 16 bits hold what is computed."""

    def arguments(make: Maker):
        items = make.launch.global_size[0]
        return [make.random("i8", items, 4), make.random("i8", items)]

    check_native(PIXELS, arguments, Launch((77,), (64,)))
    for target, lanes in (("x86-64-v2", 16), ("x86-64-v3", 32), ("x86-64-v4", 64)):
        program = spmd.compile(PIXELS, target=target)
        (loop,) = program["gray"].explain(group_size=(64,)).kernels[0].loops
        assert loop.lanes == lanes, target


BEGINS_LATE = """
spmd.kernel @begins_late(%x: memref<?x?xi32>, %n: i32)
    attributes {sub_group_size = 4 : i64} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %l = spmd.local_id x
  %two = arith.constant 2 : i32
  %v = arith.index_cast %l : index to i32
  %late = arith.cmpi uge, %v, %n : i32
  scf.if %late {
    memref.store %two, %x[%j, %i] : memref<?x?xi32>
  }
  spmd.barrier
  %w = memref.load %x[%j, %i] : memref<?x?xi32>
  %s = spmd.scan inclusive add %w across sub_group : i32
  memref.store %s, %x[%j, %i] : memref<?x?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("options", [{"width": 8}, {"vectorize": False}], ids=str)
def test_loops_without_sub_group_operations_may_begin_late(options: dict[str, Any]):
    for launch in (Launch((19, 7), (8, 3)), Launch((16, 8), (8, 4))):
        columns, rows = launch.global_size

        def arguments(
            make: Maker, shape: tuple[int, ...] = (rows, columns)
        ) -> list[Any]:
            return [make.integers("i32", 0, 9, *shape), 3]

        check_native(BEGINS_LATE, arguments, launch, **options)


BYTES = """
spmd.kernel @bytes(%x: memref<?xi8>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi8>
  %end = arith.subi %n, %c1 : index
  %after = arith.cmpi sgt, %i, %c0 : index
  %before = arith.cmpi slt, %i, %end : index
  %inside = arith.andi %after, %before : i1
  scf.if %inside {
    %l = arith.subi %i, %c1 : index
    %r = arith.addi %i, %c1 : index
    %a = memref.load %x[%l] : memref<?xi8>
    %b = memref.load %x[%i] : memref<?xi8>
    %c = memref.load %x[%r] : memref<?xi8>
    %ab = arith.addi %a, %b : i8
    %abc = arith.maxui %ab, %c : i8
    memref.store %abc, %y[%i] : memref<?xi8>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("n", [1, 2, 31, 33, 97, 200])
def test_what_fills_no_sub_group_stays_scalar(n: int, target: str):
    def arguments(make: Maker) -> list[Any]:
        return [make.integers("i8", -99, 99, n), make.zeros("i8", n)]

    for size in (64, 96):
        launch = Launch((-(-n // size) * size,), (size,))
        check_native(BYTES, arguments, launch, target=target)
        check_native(BYTES, arguments, launch, target=target, specialize=False)


def test_the_rest_says_why():
    kernel = spmd.compile(BYTES, target="x86-64-v3")["bytes"]
    code = kernel.ir("form-sub-groups", group_size=64)
    assert code.count("spmd.sub_group (") == 1
    assert "the rest: 32 lanes would take" in code
    assert "the rest: 32 lanes would take" in " ".join(str(kernel.explain()).split())
