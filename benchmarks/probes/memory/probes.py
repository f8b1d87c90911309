"""Memory: beyond the cache, walked through, private, local, and in known places."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.probes.data import N, arguments, counters, integers, uniform, zeros
from benchmarks.probes.probe import Form, probe, scalar
from benchmarks.suite.case import Array

LARGE = 1 << 24
ROWS = 512


def copyto(a: Array, b: Array, c: Array) -> Callable[[], None]:
    """NumPy's copy."""
    return lambda: np.copyto(c, a)


def counted(x: Array, h: Array, n: int) -> Array:
    """The histogram of each of 16 parts."""
    return np.stack([np.bincount(part, minlength=256) for part in x.reshape(16, -1)])


probe(
    "copy",
    "arrays beyond the cache",
    copyto,
    LARGE,
    arguments(
        uniform(LARGE, dtype=float), zeros(1, dtype=float), zeros(LARGE, dtype=float)
    ),
    lambda a, b, c: a,
    out=2,
)
probe(
    "dot",
    "a grid-stride loop, walked to its end by one sub-group after the other",
    "dot_interchanged",
    64 * 256,
    arguments(
        uniform(1 << 22, dtype=float),
        uniform(1 << 22, dtype=float),
        zeros(64, dtype=float),
        1 << 22,
    ),
    lambda a, b, c, n: (a * b).reshape(-1, 64, 256).sum((0, 2)),
    out=2,
)
probe(
    "grid",
    "a grid-stride loop that carries nothing, beyond the cache",
    Form("grid", size=LARGE),
    64 * 256,
    arguments(uniform(LARGE), zeros(LARGE), LARGE),
    lambda x, y, n: 2 * x,
    out=1,
    in_place=True,
)
probe(
    "trip",
    "a number of iterations that is a multiple of the width",
    "trip_counted",
    64 * 256,
    arguments(lambda generator: np.ones((256, 256), np.float32)),
    lambda x: 0 * x,
    out=0,
)
probe(
    "dct",
    "arrays of which nothing is known but their addresses",
    "dct_noalias",
    (ROWS, ROWS),
    arguments(zeros(ROWS * ROWS), uniform(ROWS * ROWS), uniform(64), ROWS),
    out=0,
    group=(8, 8),
)
probe(
    "sroa",
    "a private array across a barrier",
    "sroa_scalars",
    N,
    arguments(uniform(N), zeros(N)),
    lambda x, y: x.reshape(-1, 64)[:, ::-1].reshape(-1) + x + x * x,
)
probe(
    "acc",
    "a private array of four sums",
    "acc_scalars",
    (256, 64),
    arguments(uniform(256, 256), uniform(256, 256), zeros(256, 256), 256),
    lambda a, b, c, n: a @ b,
    out=2,
)
scalar(
    "hist",
    "counters of i32 in local memory",
    1024,
    arguments(integers(0, 256, 1 << 18), counters(16, 256), 256),
    counted,
)
probe(
    "histogram8",
    "counters of i8 in local memory",
    "histogram8_scalar",
    64 * 128,
    arguments(counters(256), integers(0, 256, 1 << 20)),
    lambda h, x: np.bincount(x, minlength=256),
    out=0,
    in_place=True,
    group=128,
)
