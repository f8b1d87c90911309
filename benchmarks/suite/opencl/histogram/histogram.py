"""Histogram of 256 bins: counters of a work-item in local memory, or atomic ones."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing, random
from benchmarks.suite.plain import prange

PER_GROUP = 16384
"""Values that a work-group counts."""


def histogram(bins: Array, data: Array, n: int) -> None:
    """Sixteen parts with counters of their own, then their sums."""
    parts = 16
    own = np.zeros((parts, 256), np.uint32)
    for p in prange(parts):
        for i in range(p * (n // parts), (p + 1) * (n // parts)):
            own[p, data[i]] += np.uint32(1)
    for p in range(parts):
        for b in range(256):
            bins[b] += own[p, b]


@benchmark(
    "histogram_private",
    small={"n": 4 * PER_GROUP},
    kernel="histogram_private",
    group=128,
)
@benchmark(
    "histogram_atomic", small={"n": 4 * PER_GROUP}, kernel="histogram_atomic", group=256
)
def counted(n: int = 1 << 24, *, kernel: str, group: int) -> Case:
    """n values of 0 to 255."""
    data = random().integers(0, 256, n, dtype=np.uint32)
    size = n // PER_GROUP * group
    return Case(
        arrays={"bins": np.zeros(256, np.uint32), "data": data},
        launches=(Launch(kernel, (size,), (group,), ("bins", "data")),),
        loops=histogram,
        call=("bins", "data", n),
        error=differing({"bins": np.bincount(data, minlength=256)}),
        in_place=True,
        bytes=4.0 * n,
        mlir=kernel,
        numpy=lambda arrays: np.bincount(arrays["data"], minlength=256),
    )
