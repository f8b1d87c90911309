"""Layer norm of rows: a work-group for each, with collectives for mean and variance."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, uniform
from benchmarks.suite.plain import prange

EPSILON = 1e-5


def layer_norm(
    out: Array, x: Array, scale: Array, shift: Array, columns: int, rows: int
) -> None:
    """Row by row."""
    part = np.float32(1.0 / columns)
    for r in prange(rows):
        first = r * columns
        total = np.float32(0)
        for i in range(columns):
            total += x[first + i]
        mean = total * part
        squares = np.float32(0)
        for i in range(columns):
            away = x[first + i] - mean
            squares += away * away
        inverse = np.float32(1) / math.sqrt(squares * part + np.float32(1e-5))
        for i in range(columns):
            out[first + i] = (x[first + i] - mean) * inverse * scale[i] + shift[i]


@benchmark("layer_norm", small={"rows": 3})
def normed(rows: int = 4096, columns: int = 1024) -> Case:
    """Rows of 1024 elements."""
    x = uniform(rows, columns)
    scale, shift = uniform(2, columns, low=0.5, high=1.5)
    wide = x.astype(np.float64)
    away = wide - wide.mean(1, keepdims=True)
    want = away / np.sqrt(wide.var(1, keepdims=True) + EPSILON) * scale + shift
    out = np.zeros((rows, columns), np.float32)
    arrays = {"out": out, "x": x, "scale": scale, "shift": shift}
    arguments = (*arrays, np.int32(columns))
    return Case(
        arrays=arrays,
        launches=(Launch("layer_norm", (rows * 256,), (256,), arguments),),
        loops=layer_norm,
        call=(*arrays, columns, rows),
        error=farthest({"out": want}),
        tolerance=1e-5,
        bytes=8.0 * x.size,
        flops=7.0 * x.size,
    )
