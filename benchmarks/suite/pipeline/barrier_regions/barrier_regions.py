"""The overview's kernel with one barrier: two barrier regions and an id on both sides."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing
from benchmarks.suite.plain import prange


def barrier_regions(a: Array, b: Array, n: int) -> None:
    """Both regions of an element at once."""
    for i in prange(n):
        a[i] += 4
        b[i] += 4


@benchmark("barrier_regions", small={"n": 512})
def regions(n: int = 1 << 22) -> Case:
    """Two arrays of n elements."""
    a = np.arange(n, dtype=np.int32)
    return Case(
        arrays={"a": a, "b": a},
        launches=(Launch("barrier_regions", (n,), (256,), ("a", "b")),),
        loops=barrier_regions,
        call=("a", "b", n),
        error=differing({"a": a + 4, "b": a + 4}),
        in_place=True,
        bytes=16.0 * n,
    )
