"""A sample of random kernels; `make fuzz ONLY=footprints` runs as many as you like."""

from __future__ import annotations

import random

import pytest

from tests.analysis.footprints.random_kernels import write_footprint_kernel
from tests.analysis.footprints.traced import (
    check_kernel_footprints,
    check_random_footprints,
)
from tests.execution.harness import make
from tests.fuzz.writing.programs import write_kernel


@pytest.mark.parametrize("seed", range(40))
def test_footprints_of_random_indices(seed: int):
    kernel = write_footprint_kernel(random.Random(seed).randrange)
    check_random_footprints(kernel, seed)


@pytest.mark.parametrize("seed", range(8))
def test_footprints_of_random_programs(seed: int):
    kernel = write_kernel(random.Random(seed).randrange)
    args = make(kernel.arguments, kernel.launch)
    check_kernel_footprints(kernel.source, args, kernel.launch)
