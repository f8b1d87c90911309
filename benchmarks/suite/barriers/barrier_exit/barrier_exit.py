"""A barrier in a loop that the work-items of a group leave one after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing
from benchmarks.suite.plain import prange

SMALL = {"groups": 3}
LID = np.arange(64)


def barrier_exit(out: Array, groups: int) -> None:
    """Group by group."""
    for g in prange(groups):
        for lid in range(64):
            total = 0
            for i in range(2 + lid):
                total += i
            out[g * 64 + lid] = total


def barrier_exit_shift(out: Array, groups: int) -> None:
    """The same, with values of a neighbour."""
    for g in prange(groups):
        scratch = np.arange(64)
        shifted = np.empty(64, np.int64)
        for _ in range(2):
            for lid in range(64):
                shifted[lid] = scratch[(lid + 1) % 64] * 3 + 1
            for lid in range(64):
                scratch[lid] = shifted[lid]
        for lid in range(64):
            total = 0
            for i in range(2 + lid):
                total += i
            out[g * 64 + lid] = scratch[lid] + total


def _case(loops: Callable[..., None], groups: int, shifted: Array | int) -> Case:
    want = shifted + (LID + 2) * (LID + 1) // 2
    size = groups * 64
    return Case(
        arrays={"out": np.zeros(size, np.int32)},
        launches=(Launch(loops.__name__, (size,), (64,), ("out",)),),
        loops=loops,
        call=("out", groups),
        error=differing({"out": np.tile(want, groups)}),
    )


@benchmark("barrier_exit", small=SMALL)
def exits(groups: int = 4096) -> Case:
    """All work-items meet both barriers, then loop on without."""
    return _case(barrier_exit, groups, 0)


@benchmark("barrier_exit_shift", small=SMALL)
def exits_shift(groups: int = 4096) -> Case:
    """The same, with values of a neighbour, so that the order matters."""
    return _case(barrier_exit_shift, groups, ((LID + 2) % 64 * 3 + 1) * 3 + 1)
