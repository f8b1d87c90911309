"""`hoist-ids` keeps what every id and size is, in every dimension."""

from typing import Any

import pytest

from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from tests.execution.harness import BOXES, LINES, PLANES, Launch, Maker, check_passes

KINDS = (
    "global_id",
    "local_id",
    "group_id",
    "global_size",
    "local_size",
    "enqueued_local_size",
    "num_groups",
)


def kernel() -> str:
    """Every id and size of every work-item, each at its own place."""
    lines: list[str] = []
    for number, (kind, d) in enumerate((k, d) for k in KINDS for d in "xyz"):
        lines.append(
            f"    %c{number} = arith.constant {number} : index\n"
            f"    %v{number} = spmd.{kind} {d}\n"
            f"    memref.store %v{number}, %out[%item, %c{number}] : memref<?x21xindex>"
        )
    return (
        """
spmd.kernel @ids(%out: memref<?x21xindex>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %item = arith.addi %before, %gx : index
  %yes = arith.constant true
  scf.if %yes {
"""
        + "\n".join(lines)
        + "\n  }\n  spmd.return\n}\n"
    )


def arguments(make: Maker) -> list[Any]:
    return [make.zeros("index", make.n, 21)]


@pytest.mark.parametrize("launch", [*LINES, *PLANES, *BOXES], ids=str)
@pytest.mark.parametrize("fixed", [False, True], ids=["any-size", "fixed-size"])
def test_ids_and_sizes(launch: Launch, fixed: bool):
    specialize = (
        [SpmdSpecializePass(work_group_size=launch.group_size)] if fixed else []
    )
    check_passes(kernel(), arguments, (launch,), *specialize, HoistIdsPass())


def test_ids_and_sizes_of_full_groups():
    launch = Launch((64, 4), (16, 2))
    specialize = SpmdSpecializePass(work_group_size=launch.group_size, full_groups=True)
    check_passes(kernel(), arguments, (launch,), specialize, HoistIdsPass())
