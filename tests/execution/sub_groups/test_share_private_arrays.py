"""`share-private-arrays` must not change what a sub-group computes."""

from __future__ import annotations

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.sub_groups.share_private_arrays import SharePrivateArraysPass
from tests.execution.pipelines.vectorize_kernels import CASES

WITH_ARRAYS = [name for name, case in CASES.items() if "memref.alloca" in case.source]


@pytest.mark.parametrize("width", [2, 8, 64])
@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_one_array_is_as_good_as_one_for_each_lane(name: str, width: int):
    CASES[name].check_in_lanes(width, SharePrivateArraysPass(), MaskDivergencePass())
