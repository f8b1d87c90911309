"""Kernels compute the same without the barriers that order nothing."""

from typing import Any

import pytest

from spmd.passes.kernels.drop_redundant_barriers import DropRedundantBarriersPass
from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from tests.execution.harness import (
    LINES,
    Launch,
    Maker,
    check_passes,
    check_schedules,
)
from tests.execution.splitting.test_split_at_barriers import CASES, Arguments, source

MIXED = """
spmd.kernel @mixed(%x: memref<?xi32>, %y: memref<?xi32> {spmd.noalias}) {
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %a = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %a[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %own = memref.load %a[%lid] : memref<64xi32, #spmd.memory<local>>
  memref.store %own, %b[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %lid, %c1 : index
  %wrapped = arith.remui %next, %size : index
  %other = memref.load %b[%wrapped] : memref<64xi32, #spmd.memory<local>>
  %s = arith.addi %other, %own : i32
  spmd.barrier
  memref.store %s, %y[%gid] : memref<?xi32>
  spmd.barrier
  spmd.return
}
"""


def two_arrays(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.n)]


@pytest.mark.parametrize("launch", LINES, ids=str)
def test_only_what_orders_something_is_left(launch: Launch):
    check_schedules(MIXED, two_arrays, launch)
    module = check_passes(
        MIXED,
        two_arrays,
        (launch,),
        SpmdSpecializePass(work_group_size=launch.group_size),
        HoistIdsPass(),
        DropRedundantBarriersPass(),
    )
    # With one work-item, no index tells two apart, and none has to.
    assert str(module).count("spmd.barrier") == 1


@pytest.mark.parametrize(
    ("name", "arguments", "launches"), CASES, ids=[case[0] for case in CASES]
)
def test_barriers_that_order_something_stay(
    name: str, arguments: Arguments, launches: tuple[Launch, ...]
):
    for launch in launches[1:4]:
        if name == "called_twice":
            continue  # Its barriers stand in a function.
        check_passes(
            source(name, launch, True),
            arguments,
            (launch,),
            HoistIdsPass(),
            DropRedundantBarriersPass(),
        )
