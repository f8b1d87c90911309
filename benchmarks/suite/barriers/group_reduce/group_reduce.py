"""A sum of the group in every iteration: by a tree of barriers, or by a collective."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, uniform
from benchmarks.suite.plain import prange


def group_reduce(out: Array, start: Array, repeats: int, groups: int) -> None:
    """Group by group."""
    for g in prange(groups):
        v = start[g * 256 : g * 256 + 256].copy()
        for _ in range(repeats):
            total = np.float32(0)
            for i in range(256):
                total += v[i]
            total *= np.float32(0.5 / 256)
            for i in range(256):
                v[i] = np.float32(0.5) * v[i] + total
        for i in range(256):
            out[g * 256 + i] = v[i]


@benchmark("group_reduce", small={"n": 512}, mlir="group_reduce", collective=0)
@benchmark("group_collective", small={"n": 512}, mlir="group_collective", collective=1)
def averaged(
    n: int = 1 << 20, repeats: int = 16, *, mlir: str, collective: int
) -> Case:
    """Groups of 256."""
    start = uniform(n, low=0, high=1)
    v = start.astype(np.float64).reshape(-1, 256)
    for _ in range(repeats):
        v = 0.5 * v + 0.5 * v.mean(1, keepdims=True)
    arguments = ("out", "start", np.int32(repeats))
    return Case(
        arrays={"out": np.zeros(n, np.float32), "start": start},
        launches=(Launch("group_reduce", (n,), (256,), arguments),),
        loops=group_reduce,
        call=("out", "start", repeats, n // 256),
        error=farthest({"out": v}),
        tolerance=1e-5,
        flops=3.0 * n * repeats,
        mlir=mlir,
        defines={"BUILTIN": collective},
    )
