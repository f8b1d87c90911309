"""A sample of random kernels; `make fuzz` runs as many as you like."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.programs import Kernel, write_kernel
from tests.fuzz.properties import check


@st.composite
def kernels(draw: st.DrawFn) -> Kernel:
    """A legal kernel; hypothesis makes it smaller when it fails."""
    return write_kernel(lambda options: draw(st.integers(0, options - 1)))


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)
@given(kernel=kernels(), number=st.integers(0, 5))
def test_random_kernels_mean_the_same_everywhere(kernel: Kernel, number: int):
    check(kernel, number)
