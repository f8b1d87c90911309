"""Sums of groups of 256 by a tree in local memory: a barrier in a loop."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import TYPES, farthest, in_type, numbers, random
from benchmarks.suite.plain import prange


def reduction(partial: Array, x: Array, groups: int) -> None:
    """Sum after sum."""
    for g in prange(groups):
        total = x[g * 256]
        for i in range(1, 256):
            total += x[g * 256 + i]
        partial[g] = total


def sums(groups: int = 12000, *, type_: str) -> Case:
    """Elements of `type_`."""
    n = groups * 256
    x = numbers(n, type_, random())
    wide = x.astype(np.float64 if type_.startswith("f") else np.int64)
    return Case(
        arrays={"partial": np.zeros(groups, x.dtype), "x": x},
        launches=(Launch("reduction", (n,), (256,), ("partial", "x")),),
        loops=reduction,
        call=("partial", "x", groups),
        error=farthest({"partial": wide.reshape(-1, 256).sum(1)}),
        tolerance=1e-5,
        bytes=float(x.nbytes),
        flops=float(n),
        **in_type("reduction", type_),
    )


for _type in TYPES:
    benchmark(f"reduction_{_type}", small={"groups": 5}, type_=_type)(sums)
