"""A work-group function computes the ids and sizes that its kernel asked for."""

import pytest

from spmd.passes.gather_ids import GatherIdsPass
from spmd.passes.kernels_to_functions import KernelsToFunctionsPass
from spmd.passes.split_at_barriers import SplitAtBarriersPass
from spmd.passes.spmd_specialize import SpmdSpecializePass
from tests.execution.harness import BOXES, LINES, PLANES, Launch, check_passes
from tests.execution.test_gather_ids import arguments, kernel


@pytest.mark.parametrize("launch", [*LINES, *PLANES, *BOXES], ids=str)
@pytest.mark.parametrize("fixed", [False, True], ids=["any-size", "fixed-size"])
def test_ids_and_sizes(launch: Launch, fixed: bool):
    specialize = (
        [SpmdSpecializePass(work_group_size=launch.group_size)] if fixed else []
    )
    check_passes(
        kernel(),
        arguments,
        launch,
        *specialize,
        GatherIdsPass(),
        SplitAtBarriersPass(),
        KernelsToFunctionsPass(),
        skip=("split-at-barriers",),
    )
