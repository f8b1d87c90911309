"""`forget-unasked-values` must not change what a sub-group computes."""

from __future__ import annotations

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.forget_unasked_values import ForgetUnaskedValuesPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import LINES, check_passes
from tests.execution.pipelines.vectorize_kernels import CASES

WITH_LOOPS = [name for name, case in CASES.items() if "scf.while" in case.source]


@pytest.mark.parametrize("masks", [(), (MaskDivergencePass(),)], ids=["lanes", "masks"])
@pytest.mark.parametrize("width", [2, 8])
@pytest.mark.parametrize("name", WITH_LOOPS)
def test_loops_compute_what_they_did(
    name: str, width: int, masks: tuple[MaskDivergencePass, ...]
):
    case = CASES[name]
    check_passes(
        case.source,
        case.arguments,
        LINES,
        SpmdToLoopsPass(),
        FormSubGroupsPass(width=width),
        ForgetUnaskedValuesPass(),
        *masks,
        tolerance=case.tolerance,
    )
