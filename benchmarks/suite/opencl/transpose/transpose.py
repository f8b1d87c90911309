"""Transpose of a matrix through tiles in local memory."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing, uniform
from benchmarks.suite.plain import prange


def transpose(out: Array, matrix: Array, n: int) -> None:
    """Tiles of 16 by 16, which stay in the cache."""
    for by in prange(n // 16):
        for bx in range(n // 16):
            for y in range(16):
                for x in range(16):
                    value = matrix[(by * 16 + x) * n + bx * 16 + y]
                    out[(bx * 16 + y) * n + by * 16 + x] = value


@benchmark("transpose", small={"n": 48})
def turned(n: int = 4096) -> Case:
    """A matrix of n by n elements."""
    matrix = uniform(n, n)
    return Case(
        arrays={"out": np.zeros((n, n), np.float32), "matrix": matrix},
        launches=(
            Launch("transpose", (n, n), (16, 16), ("out", "matrix", np.int32(n))),
        ),
        loops=transpose,
        call=("out", "matrix", n),
        error=differing({"out": matrix.T}),
        bytes=8.0 * n * n,
        numpy=lambda arrays: np.copyto(arrays["out"], arrays["matrix"].T),
    )
