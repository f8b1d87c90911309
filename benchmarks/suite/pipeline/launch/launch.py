"""A hundred launches in order, 16 groups of 256 work-items each: what launching costs."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing
from benchmarks.suite.plain import prange


def launch(out: Array, items: int, launches: int) -> None:
    """One loop after the other."""
    for _ in range(launches):
        for i in prange(items):
            out[i] += 1


@benchmark("launch_100", small={"launches": 3})
def launches(items: int = 4096, launches: int = 100) -> Case:
    """Every launch adds one to every element."""
    return Case(
        arrays={"out": np.zeros(items, np.int32)},
        launches=(Launch("launch", (items,), (256,), ("out",)),) * launches,
        loops=launch,
        call=("out", items, launches),
        error=differing({"out": np.full(items, launches)}),
        in_place=True,
    )
