"""Softmax of rows: a work-group for each, two trees of barriers, an exp for each element."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, uniform
from benchmarks.suite.plain import prange


def softmax(out: Array, x: Array, columns: int, rows: int) -> None:
    """Row by row."""
    for r in prange(rows):
        highest = x[r * columns]
        for i in range(r * columns, (r + 1) * columns):
            highest = max(highest, x[i])
        total = np.float32(0)
        for i in range(r * columns, (r + 1) * columns):
            out[i] = math.exp(x[i] - highest)
            total += out[i]
        share = np.float32(1) / total
        for i in range(r * columns, (r + 1) * columns):
            out[i] *= share


def _softmax(arrays: Mapping[str, Array]) -> None:
    x, out = arrays["x"], arrays["out"]
    np.subtract(x, x.max(1, keepdims=True), out=out)
    np.exp(out, out=out)
    np.divide(out, out.sum(1, keepdims=True), out=out)


@benchmark("softmax", small={"rows": 3})
def shares(rows: int = 4096, columns: int = 1024) -> Case:
    """Rows of 1024 elements."""
    x = uniform(rows, columns, low=-10, high=10)
    e = np.exp(x.astype(np.float64))
    arguments = ("out", "x", np.int32(columns))
    return Case(
        arrays={"out": np.zeros((rows, columns), np.float32), "x": x},
        launches=(Launch("softmax", (rows * 256,), (256,), arguments),),
        loops=softmax,
        call=("out", "x", columns, rows),
        error=farthest({"out": e / e.sum(1, keepdims=True)}),
        tolerance=1e-3,
        bytes=8.0 * x.size,
        numpy=_softmax,
    )
