"""Conditions that became loop bounds select the same work-items."""

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from tests.execution.harness import (
    LINES,
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
)
from tests.execution.work_item_loops.tree_kernels import tree_kernel


def _and(first: str, second: str, otherwise: str = "false") -> str:
    """As `and` of languages that compute its right side only if it matters."""
    return f"""scf.if %{first} -> (i1) {{
    scf.yield %{second} : i1
  }} else {{
    scf.yield %{otherwise} : i1
  }}"""


CONDITIONS = {
    "below": "arith.cmpi ult, %gid, %n : index",
    "below_or_equal": "arith.cmpi ule, %gid, %n : index",
    "signed_below": "arith.cmpi slt, %gid, %m : index",
    "signed_below_or_equal": "arith.cmpi sle, %lid, %m : index",
    "above": "arith.cmpi ugt, %n, %lid : index",
    "not_below": "arith.cmpi uge, %gid, %n : index",
    "every_third": "arith.cmpi slt, %triple, %n : index",
    "every_third_or_equal": "arith.cmpi sle, %triple, %m : index",
    "narrow": "arith.cmpi slt, %narrow, %limit : i32",
    "narrow_unsigned": "arith.cmpi ult, %narrow, %limit : i32",
    "may_wrap": "arith.cmpi ult, %shifted, %n : index",
    "may_wrap_signed": "arith.cmpi slt, %shifted, %n : index",
    "one": "arith.cmpi eq, %lid, %c0 : index",
    "another": "arith.cmpi eq, %lid, %c2 : index",
    "any_one": "arith.cmpi eq, %gid, %n : index",
    "shifted_one": "arith.cmpi eq, %shifted, %m : index",
    "narrow_one": "arith.cmpi eq, %limit, %narrow : i32",
    "all_but_one": "arith.cmpi ne, %gid, %n : index",
    "all_but_the_first": "arith.cmpi ne, %c0, %gid : index",
    "all_but_a_narrow_one": "arith.cmpi ne, %narrow, %limit : i32",
    "after": "arith.cmpi ugt, %gid, %n : index",
    "signed_after": "arith.cmpi sgt, %lid, %m : index",
    "signed_after_or_equal": "arith.cmpi slt, %m, %lid : index",
    "after_every_third": "arith.cmpi sge, %triple, %m : index",
    "after_narrow": "arith.cmpi sgt, %narrow, %limit : i32",
    "may_wrap_after": "arith.cmpi uge, %shifted, %n : index",
    "after_and_below": "arith.andi %high, %above : i1",
    "neither": "arith.xori %either, %true : i1",
    "two_ones": "arith.andi %second, %fifth : i1",
    "neither_of_two_ones": "arith.xori %any_one, %true : i1",
    "both": "arith.andi %low, %high : i1",
    "with_uniform": "arith.andi %low, %uniform : i1",
    "asked_later": _and("low", "high"),
    "asked_much_later": _and("low", "high")
    .replace("%high", "%inner")
    .replace("{", "{ %inner = " + _and("high", "uniform"), 1),
    "asked_otherwise": _and("low", "high", "true"),
    "uniform": "arith.andi %uniform, %uniform : i1",
}


def kernel(condition: str) -> str:
    return f"""
spmd.kernel @clipped(%n64: i64, %m64: i64, %limit: i32, %x: memref<?xi32>) {{
  %n = arith.index_cast %n64 : i64 to index
  %m = arith.index_cast %m64 : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %triple = arith.muli %gid, %c3 : index
  %shifted = arith.addi %lid, %m : index
  %narrow = arith.index_cast %lid : index to i32
  %low = arith.cmpi ult, %gid, %n : index
  %high = arith.cmpi slt, %lid, %m : index
  %above = arith.cmpi ugt, %gid, %c3 : index
  %first = arith.cmpi eq, %gid, %c0 : index
  %second = arith.cmpi eq, %lid, %c1 : index
  %fifth = arith.cmpi eq, %gid, %n : index
  %any_one = arith.ori %second, %fifth : i1
  %either = arith.ori %first, %low : i1
  %uniform = arith.cmpi slt, %n, %m : index
  %false = arith.constant false
  %true = arith.constant true
  %c = {CONDITIONS[condition]}
  scf.if %c {{
    %v = memref.load %x[%gid] : memref<?xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %x[%gid] : memref<?xi32>
  }}
  spmd.return
}}
"""


def with_bounds(n: int, m: int, limit: int):
    def arguments(make: Maker) -> list[Any]:
        return [n, m, limit, make.range("i32", make.n)]

    return arguments


BOUNDS = [
    with_bounds(n, m, limit)
    for n, m, limit in (
        (0, 0, 0),
        (5, -2, -3),
        (0, 3, 4),
        (70, 17, 9),
        (-1, 1 << 62, 1 << 30),
        (40, -(1 << 63), -(1 << 31)),
        (1 << 62, (1 << 63) - 1, (1 << 31) - 1),
    )
]


@pytest.mark.parametrize("bounds", BOUNDS, ids=range(len(BOUNDS)))
@pytest.mark.parametrize("condition", CONDITIONS)
def test_one_dimension(condition: str, bounds: Any):
    check_passes(
        kernel(condition),
        bounds,
        LINES[1:4],
        SpmdToLoopsPass(),
        skip=("split-at-barriers",),
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_native(condition: str):
    for bounds in BOUNDS:
        check_native(kernel(condition), bounds, LINES[3], vectorize=False)


PLANE = """
spmd.kernel @plane(%n: index, %m: index, %w: index, %x: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %row = arith.muli %gy, %w : index
  %i = arith.addi %row, %gx : index
  %a = arith.cmpi ult, %gx, %n : index
  %b = arith.cmpi sle, %gy, %m : index
  %ab = arith.andi %a, %b : i1
  scf.if %ab {
    %leader = arith.cmpi eq, %ly, %c1 : index
    scf.if %leader {
      memref.store %one, %x[%i] : memref<?xi32>
    }
  }
  spmd.return
}
"""


@pytest.mark.parametrize(("n", "m"), [(0, 3), (100, 100), (5, 4), (13, -1), (-1, 6)])
@pytest.mark.parametrize("launch", PLANES, ids=str)
def test_two_dimensions(launch: Launch, n: int, m: int):
    def arguments(make: Maker) -> list[Any]:
        return [n, m, make.launch.global_size[0], make.zeros("i32", make.n)]

    check_passes(
        PLANE, arguments, (launch,), SpmdToLoopsPass(), skip=("split-at-barriers",)
    )


EDGE = (
    PLANE.replace("%a = arith.cmpi ult, %gx, %n", "%a = arith.cmpi eq, %gx, %n")
    .replace(
        """%b = arith.cmpi sle, %gy, %m : index
  %ab = arith.andi %a, %b : i1
""",
        """%b = arith.cmpi eq, %gy, %m : index
  %ab = arith.ori %a, %b : i1
  %c0 = arith.constant 0 : index
  %left = arith.cmpi eq, %gx, %c0 : index
  %top = arith.cmpi slt, %gy, %c1 : index
  %corner = arith.ori %left, %top : i1
  %edge = arith.ori %ab, %corner : i1
  %true = arith.constant true
  %inside = arith.xori %edge, %true : i1
""",
    )
    .replace("scf.if %ab", "scf.if %inside")
    .replace("eq, %ly, %c1", "ne, %ly, %c1")
)


@pytest.mark.parametrize(("n", "m"), [(0, 3), (100, 100), (5, 4), (13, -1), (-1, 6)])
@pytest.mark.parametrize("launch", PLANES, ids=str)
def test_inside_a_plane(launch: Launch, n: int, m: int):
    """All but the first and another row and column, in a group or not."""

    def arguments(make: Maker) -> list[Any]:
        return [n, m, make.launch.global_size[0], make.zeros("i32", make.n)]

    check_passes(
        EDGE, arguments, (launch,), SpmdToLoopsPass(), skip=("split-at-barriers",)
    )
    check_native(EDGE, arguments, launch)


@pytest.mark.parametrize(
    "condition",
    [
        "below",
        "one",
        "signed_below_or_equal",
        "not_below",
        "all_but_one",
        "neither",
        "two_ones",
        "after_and_below",
    ],
)
def test_the_condition_is_gone(condition: str):
    module = check_passes(
        kernel(condition),
        BOUNDS[2],
        (LINES[3],),
        SpmdToLoopsPass(),
        skip=("split-at-barriers",),
    )
    assert "scf.if" not in str(module)


def summed(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.groups)]


@pytest.mark.parametrize("start", [32, 64, 16, 5])
@pytest.mark.parametrize("fixed", [False, True])
def test_a_tree_has_no_conditions(start: int, fixed: bool):
    """What a loop carries is bounded, so `lid + s < n` is a bound of the loop too."""
    attributes = "attributes {work_group_size = array<i64: 64>}" if fixed else ""
    source = tree_kernel(start, attributes)
    for launch in LINES:
        if fixed and launch.group_size != (64,):
            continue
        module = check_passes(source, summed, (launch,), SpmdToLoopsPass())
        assert "scf.if" not in str(module)
        check_native(source, summed, launch)


BYTES = (
    kernel("one")
    .replace("%limit: i32", "%limit: i8")
    .replace("eq, %lid, %c0 : index", "eq, %byte, %limit : i8")
    .replace("%low =", "%byte = arith.index_cast %lid : index to i8\n  %low =")
)


@pytest.mark.parametrize("limit", [5, -56, -1])
@pytest.mark.parametrize("predicate", ["eq", "ne"])
@pytest.mark.parametrize("size", [200, 256, 300])
def test_work_items_whose_numbers_are_bytes(size: int, predicate: str, limit: int):
    """More than half of them are negative, and with more than 256 each is there twice."""
    source = BYTES.replace("cmpi eq, %byte", f"cmpi {predicate}, %byte")
    launch = Launch((600,), (size,))
    check_native(source, with_bounds(0, 0, limit), launch)
