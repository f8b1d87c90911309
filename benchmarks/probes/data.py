"""Arguments of probes, from a generator of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.probes.probe import Arguments, Data
from benchmarks.suite.case import Array

Maker = Callable[[np.random.Generator], Array]

N = 1 << 15
"""Elements of most probes: they stay in the cache."""


def arguments(*values: Any) -> Data:
    """A probe's data: makers of arrays, and numbers."""

    def make(generator: np.random.Generator) -> Arguments:
        return [value(generator) if callable(value) else value for value in values]

    return make


def uniform(
    *shape: int, low: float = 0.0, high: float = 1.0, dtype: Any = np.float32
) -> Maker:
    """Uniform random numbers."""
    return lambda generator: generator.uniform(low, high, shape).astype(dtype)


def integers(low: int, high: int, n: int) -> Maker:
    """Random i32, below `high`."""
    return lambda generator: generator.integers(low, high, n).astype(np.int32)


def zeros(*shape: int, dtype: Any = np.float32) -> Maker:
    """Zeros."""
    return lambda generator: np.zeros(shape, dtype)


def counters(*shape: int) -> Maker:
    """Zeros in i32."""
    return zeros(*shape, dtype=np.int32)
