"""Loops around barriers that are written out compute what they did as loops."""

from __future__ import annotations

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.work_item_loops.unroll_group_loops import UnrollGroupLoopsPass
from tests.execution.harness import Launch, Maker, check_native, check_passes
from tests.execution.work_item_loops.tree_kernels import tree_kernel

FULL = "attributes {work_group_size = array<i64: 64>}"
GROUPS = [Launch((192,), (64,)), Launch((130,), (64,))]


def _sums(make: Maker):
    return [make.range("i32", make.n), make.zeros("i32", make.groups)]


@pytest.mark.parametrize("launch", GROUPS, ids=str)
@pytest.mark.parametrize("start", [1, 32, 64, 63, 5])
def test_trees(start: int, launch: Launch):
    source = tree_kernel(start, FULL)
    check_passes(source, _sums, [launch], SpmdToLoopsPass(), UnrollGroupLoopsPass())
    check_native(source, _sums, launch)


def scan(t: str, add: str) -> str:
    """Sums of all before in the group, by distances that grow; `%old` crosses barriers."""
    return f"""
!tile = memref<64x{t}, #spmd.memory<local>>
spmd.kernel @scan(%x: memref<?x{t}>, %y: memref<?x{t}>) {FULL} {{
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : !tile
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %n = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?x{t}>
  memref.store %v, %tile[%lid] : !tile
  spmd.barrier
  %end, %sum = scf.while (%d = %c1, %old = %v) : (index, {t}) -> (index, {t}) {{
    %more = arith.cmpi slt, %d, %n : index
    scf.condition(%more) %d, %old : index, {t}
  }} do {{
  ^bb0(%d: index, %old: {t}):
    %left = arith.subi %n, %d : index
    %low = arith.cmpi ult, %lid, %left : index
    %far = arith.addi %lid, %d : index
    %there = scf.if %low -> ({t}) {{
      %a = memref.load %tile[%far] : !tile
      scf.yield %a : {t}
    }} else {{
      scf.yield %old : {t}
    }}
    %new = {add} %old, %there : {t}
    spmd.barrier
    scf.if %low {{
      memref.store %new, %tile[%lid] : !tile
    }}
    spmd.barrier
    %next = arith.addi %d, %d : index
    scf.yield %next, %new : index, {t}
  }}
  memref.store %sum, %y[%gid] : memref<?x{t}>
  spmd.return
}}
"""


@pytest.mark.parametrize("launch", GROUPS, ids=str)
@pytest.mark.parametrize(("t", "add"), [("i16", "arith.addi"), ("f64", "arith.addf")])
def test_what_loops_carry(t: str, add: str, launch: Launch):
    def arguments(make: Maker):
        return [make.random(t, make.n), make.zeros(t, make.n)]

    check_passes(
        scan(t, add), arguments, [launch], SpmdToLoopsPass(), UnrollGroupLoopsPass()
    )
    check_native(scan(t, add), arguments, launch)
