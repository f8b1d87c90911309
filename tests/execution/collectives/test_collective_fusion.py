"""Collectives that compute what they combine give what those of kept values give."""

from typing import Any

import pytest

from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    BOXES,
    LINES,
    Arguments,
    Launch,
    Maker,
    check_native,
    check_passes,
    kernel_name,
    parsed,
)

# Fused: loads at several addresses, what the last collective wrote, in branches.
FUSED = """
spmd.kernel @fused(%x: memref<?xi32>, %y: memref<?xi32>, %out: memref<?x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %gid = spmd.global_id x
  %group = spmd.group_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %w = memref.load %y[%gid] : memref<?xi32>
  %p = arith.muli %v, %w : i32
  %dot = spmd.reduce add %p across work_group : i32
  memref.store %dot, %out[%gid, %c0] : memref<?x4xi32>
  %head = memref.load %y[%group] : memref<?xi32>
  %odd = arith.trunci %head : i32 to i1
  scf.if %odd {
    %b = memref.load %out[%gid, %c0] : memref<?x4xi32>
    %mine = memref.load %x[%gid] : memref<?xi32>
    %c = arith.subi %b, %mine : i32
    %most = spmd.reduce max %c across work_group : i32
    memref.store %most, %out[%gid, %c1] : memref<?x4xi32>
  } else {
    %b = memref.load %y[%gid] : memref<?xi32>
    %neg = arith.cmpi slt, %b, %zero : i32
    %any = spmd.any %neg across work_group
    %bit = arith.extui %any : i1 to i32
    memref.store %bit, %out[%gid, %c1] : memref<?x4xi32>
  }
  spmd.return
}
"""

# Not fused: what is overwritten before it is combined, needed twice, or scanned.
KEPT = """
spmd.kernel @kept(%x: memref<?xi32>, %y: memref<?xi32>, %out: memref<?x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %gid = spmd.global_id x
  %a = memref.load %x[%gid] : memref<?xi32>
  memref.store %zero, %x[%gid] : memref<?xi32>
  %before = spmd.reduce xor %a across work_group : i32
  memref.store %before, %out[%gid, %c0] : memref<?x4xi32>
  %b = memref.load %y[%gid] : memref<?xi32>
  %least = spmd.reduce min %b across work_group : i32
  %d = arith.subi %b, %least : i32
  memref.store %d, %out[%gid, %c1] : memref<?x4xi32>
  %e = memref.load %y[%gid] : memref<?xi32>
  %upto = spmd.scan inclusive add %e across work_group : i32
  memref.store %upto, %out[%gid, %c2] : memref<?x4xi32>
  spmd.return
}
"""

BOX = """
spmd.kernel @box(%x: memref<?x?x?xi32>, %out: memref<?x?x?xi32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %v = memref.load %x[%gz, %gy, %gx] : memref<?x?x?xi32>
  %sum = spmd.reduce add %v across work_group : i32
  memref.store %sum, %out[%gz, %gy, %gx] : memref<?x?x?xi32>
  spmd.return
}
"""


def sums(make: Maker) -> list[Any]:
    return [
        make.random("i32", make.n),
        make.random("i32", make.n),
        make.zeros("i32", make.n, 4),
    ]


def box(make: Maker) -> list[Any]:
    return [make.random("i32", *make.size), make.zeros("i32", *make.size)]


CASES = [
    pytest.param(
        source, arguments, launch, id=f"{kernel_name(parsed(source))}-{launch}"
    )
    for source, arguments, launches in (
        (FUSED, sums, LINES),
        (KEPT, sums, LINES),
        (BOX, box, BOXES),
    )
    for launch in launches
]


@pytest.mark.parametrize(("source", "arguments", "launch"), CASES)
def test_the_same_as_of_kept_values(source: str, arguments: Arguments, launch: Launch):
    check_passes(
        source,
        arguments,
        (launch,),
        SpmdToLoopsPass(strategy="fission"),
        skip=("split-at-barriers",),
    )
    for specialize in (True, False):
        check_native(
            source,
            arguments,
            launch,
            strategy="fission",
            specialize=specialize,
        )


@pytest.mark.parametrize(("source", "contexts"), [(FUSED, 0), (KEPT, 1), (BOX, 0)])
def test_only_what_is_needed_is_kept(source: str, contexts: int):
    module = parsed(source).clone()
    for step in (HoistIdsPass(), SplitAtBarriersPass(strategy="fission")):
        step.apply(make_context(), module)
    assert str(module).count("_context = ") == contexts
