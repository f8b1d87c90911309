"""Arithmetic of integers that vectors are bad at."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.probes.data import N, arguments, counters, integers, uniform
from benchmarks.probes.probe import probe, scalar

LOG_N = 14
SORT: dict[str, Any] = {
    "expect": lambda a: np.sort(a),
    "out": 0,
    "in_place": True,
    "steps": tuple(
        (stage, back) for stage in range(LOG_N) for back in range(stage + 1)
    ),
}
KEYS = arguments(integers(0, 1 << 30, 1 << LOG_N))
HALF = 1 << (LOG_N - 1)

probe(
    "bitonic",
    "division by a power of two that the launch knows",
    "bitonic_shift",
    HALF,
    KEYS,
    **SORT,
)
scalar(
    "bitonic_scalar",
    "the same against scalar code",
    HALF,
    KEYS,
    kernel="bitonic",
    **SORT,
)
probe(
    "div",
    "integer division",
    "div_f64",
    N,
    arguments(integers(1 << 20, 1 << 30, N), integers(1, 1000, N)),
    lambda n, m: n // m,
    out=0,
    in_place=True,
)
scalar(
    "xs",
    "binary search of f64",
    1 << 13,
    arguments(
        lambda generator: np.sort(generator.random(1 << 16)),
        uniform(1 << 13, low=0.01, dtype=float),
        counters(1 << 13),
        1 << 16,
    ),
    lambda table, q, out, n: np.searchsorted(table, q) - 1,
    out=2,
)
