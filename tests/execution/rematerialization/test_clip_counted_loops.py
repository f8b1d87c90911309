"""Loops that end where nothing happens any more compute the same."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.rematerialization.clip_counted_loops import ClipCountedLoopsPass
from tests.execution.harness import (
    LINES,
    Maker,
    check_native_launches,
    check_passes,
)


def guarded(comparison: str, step: int) -> str:
    """A kernel that adds up what is in a table while a condition of the counter holds."""
    return f"""
spmd.kernel @guarded(%first: memref<?xindex>, %last: memref<?xindex>,
                     %table: memref<64xi32>, %y: memref<?xi32>) {{
  %step = arith.constant {step} : index
  %c15 = arith.constant 15 : index
  %gid = spmd.global_id x
  %from = memref.load %first[%gid] : memref<?xindex>
  %low = arith.andi %from, %c15 : index
  %to = memref.load %last[%gid] : memref<?xindex>
  %end = arith.andi %to, %c15 : index
  %m = arith.muli %gid, %step : index
  %limit = arith.andi %m, %c15 : index
  %v = memref.load %y[%gid] : memref<?xi32>
  %r = scf.for %i = %low to %end step %step iter_args(%a = %v) -> (i32) {{
    %more = arith.cmpi {comparison} : index
    %u = scf.if %more -> (i32) {{
      %t = memref.load %table[%i] : memref<64xi32>
      %s = arith.muli %a, %t : i32
      scf.yield %s : i32
    }} else {{
      scf.yield %a : i32
    }}
    scf.yield %u : i32
  }}
  memref.store %r, %y[%gid] : memref<?xi32>
  spmd.return
}}
"""


def bounds(make: Maker) -> list[Any]:
    numbers = [make.integers("index", 0, 16, make.n) for _ in range(2)]
    return [*numbers, make.random("i32", 64), make.random("i32", make.n)]


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize(
    "comparison",
    ["slt, %i, %limit", "ult, %i, %limit", "ule, %i, %limit", "sge, %limit, %i"],
)
def test_the_last_iterations_do_nothing(comparison: str, step: int):
    source = guarded(comparison, step)
    module = check_passes(source, bounds, LINES[1:4], ClipCountedLoopsPass())
    assert "scf.if" not in str(module)
    check_native_launches(source, bounds, LINES)


# What all work-items do in the first iterations, in groups that fission splits then.
MEETING = """
spmd.kernel @meeting(%x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  %end = arith.addi %lid, %c2 : index
  scf.for %i = %c0 to %end step %c1 {
    %early = arith.cmpi ult, %i, %c2 : index
    scf.if %early {
      spmd.barrier
      %after = arith.addi %lid, %c1 : index
      %next = arith.remui %after, %size : index
      %w = memref.load %tile[%next] : memref<64xi32, #spmd.memory<local>>
      spmd.barrier
      memref.store %w, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    }
  }
  %mine = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  memref.store %mine, %out[%gid] : memref<?xi32>
  spmd.return
}
"""


def one_array(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.n)]


def test_first_iterations_that_all_have_can_be_split():
    module = check_passes(
        MEETING, one_array, LINES[1:4], SpmdToLoopsPass(), VectorizePass(4)
    )
    assert "scf.while" not in str(module)
    assert "not_split_by_fission" not in str(module)
    check_native_launches(MEETING, one_array, LINES)
