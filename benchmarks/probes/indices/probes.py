"""Arithmetic of `index` beside the same in 32 bits."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

import numpy as np

from benchmarks.probes.data import N, arguments, counters, integers, uniform, zeros
from benchmarks.probes.integers.probes import HALF, KEYS, SORT
from benchmarks.probes.probe import Arguments, probe
from benchmarks.suite.case import Array
from benchmarks.suite.trees import kd_tree, squared_distances

LID = np.tile(np.arange(64), 256)


def in_turns(a: Array) -> Array:
    """Blocks of 512, sorted upwards and downwards by turns."""
    blocks = np.sort(a.reshape(-1, 512), axis=1)
    blocks[1::2] = blocks[1::2, ::-1].copy()
    return blocks.reshape(-1)


def queries(generator: np.random.Generator) -> Arguments:
    """A k-d tree of 1023 points, and 4096 queries."""
    heap = kd_tree(generator.random((1023, 2)).astype(np.float32), 10)
    qx, qy = generator.random((2, 4096)).astype(np.float32)
    px, py = np.ascontiguousarray(heap.T)
    return [np.zeros(4096, np.float32), qx, qy, px, py, 1023]


def nearest(best: Array, qx: Array, qy: Array, px: Array, py: Array, n: int) -> Array:
    """The least squared distance of each query."""
    return squared_distances(qx, qy, np.stack((px, py), 1)).min(1)


probe("bitonic_index", "a sort in memory", "bitonic32", HALF, KEYS, **SORT)
probe(
    "bitonic_tail",
    "a sort in local memory",
    "bitonic_tail32",
    HALF,
    KEYS,
    in_turns,
    out=0,
    in_place=True,
    group=256,
    steps=tuple((stage, 0) for stage in range(9)),
)
probe(
    "walsh",
    "a butterfly",
    "walsh32",
    1 << 15,
    arguments(uniform(1 << 16)),
    out=0,
    in_place=True,
    steps=tuple((shift,) for shift in range(16)),
)
SUM = (LID + 2) * (LID + 1) // 2
for _name, _want in (
    ("exit", SUM),
    ("exit_shift", SUM + ((LID + 2) % 64 * 3 + 1) * 3 + 1),
):
    probe(
        _name,
        "a loop that lanes leave",
        f"{_name}32",
        LID.size,
        arguments(counters(LID.size)),
        lambda out, want=_want: want,
        out=0,
        group=64,
    )
probe(
    "g64",
    "before a gather",
    "g32",
    N,
    arguments(uniform(4096 * 3), integers(0, 4096, N), zeros(N), 0),
    lambda x, at, y, n: x[3 * at],
    out=2,
)
probe(
    "kdtree_index",
    "the top of a stack",
    "kdtree32",
    4096,
    queries,
    nearest,
    ours="kdtree",
    out=0,
)
