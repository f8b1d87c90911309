"""Jacobi stencils of five and of nine points: loads that overlap, a branch at the edge."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, random, uniform
from benchmarks.suite.plain import prange


def stencil5(out: Array, a: Array, n: int) -> None:
    """Row by row."""
    half, eighth = np.float32(0.5), np.float32(0.125)
    for y in prange(1, n - 1):
        for x in range(1, n - 1):
            c = y * n + x
            out[c] = half * a[c] + eighth * (a[c - 1] + a[c + 1] + a[c - n] + a[c + n])


def stencil9(out: Array, a: Array, n: int) -> None:
    """Row by row."""
    for y in prange(1, n - 1):
        for x in range(1, n - 1):
            c = y * n + x
            above = a[c - n - 1] + a[c - n] + a[c - n + 1]
            below = a[c + n - 1] + a[c + n] + a[c + n + 1]
            out[c] = (above + a[c - 1] + a[c] + a[c + 1] + below) * (1.0 / 9.0)


@benchmark("stencil5", small={"n": 48})
def five(n: int = 4096) -> Case:
    """Single precision, beyond the cache."""
    a = uniform(n, n)
    want = np.zeros((n, n))
    near = a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1]
    want[1:-1, 1:-1] = 0.5 * a[1:-1, 1:-1] + 0.125 * near
    arrays = {"out": np.zeros((n, n), np.float32), "a": a}
    return Case(
        arrays=arrays,
        launches=(Launch("stencil5", (n, n), (16, 16), ("out", "a", np.int32(n))),),
        loops=stencil5,
        call=("out", "a", n),
        error=farthest({"out": want}),
        tolerance=1e-5,
        bytes=8.0 * n * n,
        flops=6.0 * n * n,
    )


@benchmark("stencil9", small={"n": 48})
def nine(n: int = 1024) -> Case:
    """Double precision, in the cache."""
    a = random().uniform(-1, 1, (n, n))
    want = np.zeros((n, n))
    last = n - 1
    want[1:-1, 1:-1] = sum(
        a[1 + dy : last + dy, 1 + dx : last + dx] / 9
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
    )
    return Case(
        arrays={"out": np.zeros((n, n)), "a": a},
        launches=(Launch("stencil9", (n, n), (64, 4), ("out", "a", np.int32(n))),),
        loops=stencil9,
        call=("out", "a", n),
        error=farthest({"out": want}),
        tolerance=1e-13,
        bytes=16.0 * n * n,
        flops=9.0 * n * n,
    )
