"""`mask-divergence` must not change what a sub-group computes."""

from __future__ import annotations

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from tests.execution.pipelines.vectorize_kernels import CASES

WIDTHS = (2, 8, 64)


@pytest.mark.parametrize("name", CASES)
def test_masked_lanes_compute_what_work_items_do(name: str):
    width = WIDTHS[list(CASES).index(name) % len(WIDTHS)]
    CASES[name].check_in_lanes(width, MaskDivergencePass())
