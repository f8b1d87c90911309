"""A sum of vectors in groups of an odd size: each ends with a rest of the lanes."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing, random
from benchmarks.suite.plain import prange


def vector_add(c: Array, a: Array, b: Array, n: int) -> None:
    """Element by element."""
    for i in prange(n):
        c[i] = a[i] + b[i]


@benchmark("vector_add_peel", small={"groups": 4})
def peeled(groups: int = 1024, group: int = 253) -> Case:
    """In the cache, groups of 253."""
    n = groups * group
    a, b = random().integers(-1000, 1000, (2, n), dtype=np.int32)
    return Case(
        arrays={"c": np.zeros(n, np.int32), "a": a, "b": b},
        launches=(Launch("vector_add", (n,), (group,), ("c", "a", "b")),),
        loops=vector_add,
        call=("c", "a", "b", n),
        error=differing({"c": a + b}),
        bytes=12.0 * n,
    )
