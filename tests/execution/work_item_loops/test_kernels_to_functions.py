"""A work-group function computes the ids and sizes that its kernel asked for."""

import pytest

from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass
from spmd.passes.work_item_loops.kernels_to_functions import KernelsToFunctionsPass
from tests.execution.harness import BOXES, LINES, PLANES, Launch, check_passes
from tests.execution.kernels.test_hoist_ids import arguments, kernel


@pytest.mark.parametrize("launch", [*LINES, *PLANES, *BOXES], ids=str)
@pytest.mark.parametrize("fixed", [False, True], ids=["any-size", "fixed-size"])
def test_ids_and_sizes(launch: Launch, fixed: bool):
    specialize = (
        [SpmdSpecializePass(work_group_size=launch.group_size)] if fixed else []
    )
    check_passes(
        kernel(),
        arguments,
        (launch,),
        *specialize,
        HoistIdsPass(),
        SplitAtBarriersPass(),
        KernelsToFunctionsPass(),
        skip=("split-at-barriers",),
    )
