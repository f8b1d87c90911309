"""
A sample of random kernels.

`make fuzz` runs as many as you like, and makes those that fail smaller.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.programs import Kernel, write_kernel
from tests.fuzz.properties import VARIANTS, check, check_meetings
from tests.fuzz.writer import Features

PARTS = 5
KERNELS = 50
"""Of each sort."""


@st.composite
def kernels(draw: st.DrawFn, features: Features) -> Kernel:
    """A legal kernel."""
    return write_kernel(lambda options: draw(st.integers(0, options - 1)), features)


def run_sample(
    part: int, features: Features, check: Callable[[Kernel, int], None]
) -> None:
    @seed(part)
    @settings(
        max_examples=KERNELS // PARTS,
        deadline=None,
        database=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        phases=(Phase.explicit, Phase.generate),
    )
    @given(kernel=kernels(features), number=st.integers(0, VARIANTS - 1))
    def sample(kernel: Kernel, number: int):
        check(kernel, number)

    sample()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_kernels_mean_the_same_everywhere(part: int):
    run_sample(part, Features(), check)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_kernels_with_barriers_mean_the_same_everywhere(part: int):
    run_sample(part, Features(all_about_barriers=True), check_meetings)
