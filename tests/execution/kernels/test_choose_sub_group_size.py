"""A kernel computes the same with its sub-group size written down."""

from typing import Any

import pytest

from spmd.passes.kernels.choose_sub_group_size import ChooseSubGroupSizePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from tests.execution.harness import LINES, Launch, Maker, check_passes

KERNEL = """
spmd.kernel @lanes(%x: memref<?x5xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i = spmd.global_id x
  spmd.barrier sub_group
  %lane = spmd.lane_id
  %id = spmd.sub_group_id
  %size = spmd.sub_group_size
  %count = spmd.num_sub_groups
  memref.store %lane, %x[%i, %c0] : memref<?x5xindex>
  memref.store %id, %x[%i, %c1] : memref<?x5xindex>
  spmd.barrier
  spmd.barrier sub_group
  memref.store %size, %x[%i, %c2] : memref<?x5xindex>
  memref.store %count, %x[%i, %c3] : memref<?x5xindex>
  %sum = arith.addi %lane, %id : index
  spmd.barrier
  spmd.barrier sub_group
  memref.store %sum, %x[%i, %c4] : memref<?x5xindex>
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.zeros("index", make.n, 5)]


@pytest.mark.parametrize("launch", LINES, ids=str)
def test_the_default_is_that_of_the_language(launch: Launch):
    check_passes(KERNEL, arguments, (launch,), ChooseSubGroupSizePass())


@pytest.mark.parametrize("launch", LINES, ids=str)
def test_ids_of_lanes_after_barriers(launch: Launch):
    module = check_passes(
        KERNEL, arguments, (launch,), SpmdToLoopsPass(), skip=("split-at-barriers",)
    )
    assert "spmd.sub_group_size = 16" in str(module)
    # Lanes are asked again, not stored.
    assert "_context" not in str(module)
