"""`forget-unasked-values` must not change what a sub-group computes."""

from __future__ import annotations

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.sub_groups.forget_unasked_values import ForgetUnaskedValuesPass
from tests.execution.pipelines.vectorize_kernels import CASES

WITH_LOOPS = [name for name, case in CASES.items() if "scf.while" in case.source]


@pytest.mark.parametrize("width", [2, 8])
@pytest.mark.parametrize("name", WITH_LOOPS)
def test_loops_compute_what_they_did(name: str, width: int):
    CASES[name].check_in_lanes(width, ForgetUnaskedValuesPass(), MaskDivergencePass())
