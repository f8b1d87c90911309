"""
A sample of random kernels.

`make fuzz` runs as many as you like, and makes those that fail smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.execution.frontends.random_gpu_kernels import check_as_gpu
from tests.fuzz.faults import check_reported, write_kernel_at_fault
from tests.fuzz.hosts import write_host_functions
from tests.fuzz.illegal import (
    check_refused_or_right,
    write_faulty_kernel,
    write_mangled_kernel,
)
from tests.fuzz.properties import VARIANTS, check, check_host, check_meetings
from tests.fuzz.writing.programs import (
    write_kernel,
    write_kernel_that_shows_bits,
    write_kernel_with_barriers,
)
from tests.fuzz.writing.writer import Choose

PARTS = 4
KERNELS = 16
"""Of each sort."""


@st.composite
def kernels(draw: st.DrawFn, write: Callable[[Choose], Any]) -> Any:
    """A kernel, or a host function."""
    return write(lambda options: draw(st.integers(0, options - 1)))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(
    ("write", "check"),
    [
        (write_kernel, check),
        (write_kernel, check_as_gpu),
        (write_kernel_that_shows_bits, check),
        (write_kernel_with_barriers, check_meetings),
        (write_kernel_at_fault, check_reported),
        (write_faulty_kernel, check_refused_or_right),
        (write_mangled_kernel, check_refused_or_right),
        (write_host_functions, check_host),
    ],
    ids=["mixed", "gpu", "bits", "barriers", "faults", "illegal", "texts", "hosts"],
)
def test_random_kernels_mean_the_same_everywhere(
    part: int, write: Callable[[Choose], Any], check: Callable[[Any, int], None]
):
    @seed(part)
    @settings(
        max_examples=KERNELS // PARTS,
        deadline=None,
        database=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        phases=(Phase.explicit, Phase.generate),
    )
    @given(kernel=kernels(write), number=st.integers(0, VARIANTS - 1))
    def sample(kernel: Any, number: int):
        check(kernel, number)

    sample()
