"""`widen-sub-groups`: vector code computes what work-items do, at every third width."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.execution.harness import LINES, check_native_launches
from tests.execution.pipelines.vectorize_kernels import CASES

WIDTHS: tuple[Literal[1, 2, 4, 8, 16, 32, 64], ...] = (1, 2, 4, 8, 16, 32, 64)
NOT_SCALAR = WIDTHS[1:]


@pytest.mark.parametrize("name", CASES)
def test_vectors_compute_what_work_items_do(name: str):
    case = CASES[name]
    first = list(CASES).index(name) % 3
    for width in NOT_SCALAR[first::3]:
        check_native_launches(
            case.source,
            case.arguments,
            LINES,
            width=width,
            tolerance=case.tolerance,
        )
