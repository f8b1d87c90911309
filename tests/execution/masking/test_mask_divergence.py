"""`mask-divergence` must not change what a sub-group computes."""

from __future__ import annotations

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import LINES, check_passes
from tests.execution.pipelines.vectorize_kernels import CASES


@pytest.mark.parametrize("width", [2, 8, 64])
@pytest.mark.parametrize("name", CASES)
def test_masked_lanes_compute_what_work_items_do(name: str, width: int):
    case = CASES[name]
    check_passes(
        case.source,
        case.arguments,
        LINES,
        SpmdToLoopsPass(),
        FormSubGroupsPass(width=width),
        MaskDivergencePass(),
        tolerance=case.tolerance,
    )
