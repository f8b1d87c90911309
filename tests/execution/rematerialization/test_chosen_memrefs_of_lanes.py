"""Lanes of a sub-group choose between memrefs, in control flow and under masks."""

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.sub_groups_to_loops import SubGroupsToLoopsPass
from spmd.runtime.options import Strategy
from tests.execution.harness import Launch, Maker, check_native_launches, check_passes

HEAD = """
spmd.kernel @k(%x: memref<?xi32>, %out: memref<?xi32>){attributes} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %v = memref.load %x[%i] : memref<?xi32>
  %p = arith.cmpi sgt, %v, %zero : i32
  %a = memref.alloca() : memref<4xi32>
  %b = memref.alloca() : memref<4xi32>
  memref.store %seven, %a[%c0] : memref<4xi32>
  memref.store %v, %a[%c1] : memref<4xi32>
  memref.store %one, %b[%c0] : memref<4xi32>
  memref.store %zero, %b[%c1] : memref<4xi32>
  %low = arith.andi %v, %one : i32
  %at = arith.index_cast %low : i32 to index
"""
VARIANTS = {
    "select": """
  %m = arith.select %p, %a, %b : memref<4xi32>
""",
    "select_by_quotient": """
  %half = arith.divui %l, %n : index
  %third = arith.remui %i, %n : index
  %q = arith.cmpi ugt, %third, %half : index
  %m = arith.select %q, %a, %b : memref<4xi32>
""",
    "if": """
  %m = scf.if %p -> (memref<4xi32>) {
    memref.store %v, %a[%c0] : memref<4xi32>
    scf.yield %a : memref<4xi32>
  } else {
    scf.yield %b : memref<4xi32>
  }
""",
    "if_inside_if": """
  %m = scf.if %p -> (memref<4xi32>) {
    %odd = arith.cmpi eq, %low, %one : i32
    %inner = scf.if %odd -> (memref<4xi32>) {
      scf.yield %a : memref<4xi32>
    } else {
      memref.store %v, %b[%c0] : memref<4xi32>
      scf.yield %b : memref<4xi32>
    }
    memref.store %seven, %inner[%c1] : memref<4xi32>
    scf.yield %inner : memref<4xi32>
  } else {
    scf.yield %b : memref<4xi32>
  }
""",
    "for": """
  %trips = arith.addi %at, %c1 : index
  %m, %rest = scf.for %k = %c0 to %trips step %c1 iter_args(%from = %a, %to = %b)
      -> (memref<4xi32>, memref<4xi32>) {
    memref.store %v, %from[%c1] : memref<4xi32>
    scf.yield %to, %from : memref<4xi32>, memref<4xi32>
  }
""",
    "while": """
  %m, %k = scf.while (%from = %a, %iteration = %zero) : (memref<4xi32>, i32) -> (memref<4xi32>, i32) {
    %more = arith.cmpi slt, %iteration, %low : i32
    scf.condition(%more) %from, %iteration : memref<4xi32>, i32
  } do {
  ^bb0(%from: memref<4xi32>, %iteration: i32):
    %next = arith.addi %iteration, %one : i32
    %to = arith.select %p, %b, %from : memref<4xi32>
    scf.yield %to, %next : memref<4xi32>, i32
  }
""",
    "index_switch": """
  %m = scf.index_switch %at -> memref<4xi32>
  case 1 {
    scf.yield %a : memref<4xi32>
  }
  default {
    memref.store %v, %b[%c1] : memref<4xi32>
    scf.yield %b : memref<4xi32>
  }
""",
}
USE = """
  scf.if %p {
    memref.store %seven, %m[%c0] : memref<4xi32>
  }
  %r = memref.load %m[%at] : memref<4xi32>
  %other = memref.load %b[%c0] : memref<4xi32>
  %sum = arith.addi %r, %other : i32
"""
NO_USE = """
  %sum = memref.load %b[%c0] : memref<4xi32>
"""
MEET = """
  spmd.barrier
"""
TOGETHER = """
  %f = spmd.scan inclusive add %sum across sub_group : i32
  memref.store %f, %out[%i] : memref<?xi32>
  spmd.return
}
"""
ALONE = """
  memref.store %sum, %out[%i] : memref<?xi32>
  spmd.return
}
"""
LAUNCHES = tuple(
    Launch(n, e)
    for n, e in (((1,), (1,)), ((22,), (11,)), ((40,), (16,)), ((9, 1), (3, 1)))
)


STRATEGIES: tuple[Strategy, ...] = ("fission", "continuations")


def arguments(make: Maker) -> list[Any]:
    return [make.integers("i32", -9, 9, make.n), make.zeros("i32", make.n)]


def kernel(way: str, sub_groups: bool, used: bool, barrier: bool) -> str:
    attributes = " attributes {sub_group_size = 4 : i64}" if sub_groups else ""
    return (
        HEAD.format(attributes=attributes)
        + VARIANTS[way]
        + (MEET if barrier else "")
        + (USE if used else NO_USE)
        + (TOGETHER if sub_groups else ALONE)
    )


@pytest.mark.parametrize("barrier", [False, True], ids=["", "barrier"])
@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
@pytest.mark.parametrize("sub_groups", [False, True], ids=["alone", "sub_groups"])
@pytest.mark.parametrize("way", VARIANTS)
def test_native(way: str, sub_groups: bool, used: bool, barrier: bool):
    source = kernel(way, sub_groups, used, barrier)
    turn = list(VARIANTS).index(way) + used
    check_native_launches(
        source,
        arguments,
        LAUNCHES,
        strategy=STRATEGIES[turn % 2],
        vectorize=(turn + sub_groups + barrier) % 2 == 0,
    )


@pytest.mark.parametrize("barrier", [False, True], ids=["", "barrier"])
@pytest.mark.parametrize("way", VARIANTS)
def test_loops_over_lanes(way: str, barrier: bool):
    source = kernel(way, sub_groups=True, used=True, barrier=barrier)
    check_passes(
        source,
        arguments,
        LAUNCHES,
        SpmdToLoopsPass(strategy="fission"),
        SubGroupsToLoopsPass(),
        skip=("split-at-barriers",),
    )
