"""Nearest neighbour in a k-d tree: a stack and two loops in each work-item."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, Results, benchmark
from benchmarks.suite.data import random
from benchmarks.suite.plain import prange
from benchmarks.suite.trees import kd_tree, squared_distances


def kdtree(
    nearest: Array, qx: Array, qy: Array, px: Array, py: Array, n: int, queries: int
) -> None:
    """Query by query, in chunks that share a stack."""
    chunk = min(1024, queries)
    for c in prange(queries // chunk):
        stack, bound = np.empty(32, np.int64), np.empty(32, np.float32)
        for i in range(c * chunk, (c + 1) * chunk):
            x, y, best = qx[i], qy[i], np.float32(3e38)
            stack[0], bound[0], top = 0, np.float32(0), 1
            while top > 0:
                top -= 1
                node = stack[top]
                if bound[top] >= best:
                    continue
                level = 0
                rest = node + 1
                while rest > 1:
                    rest >>= 1
                    level += 1
                while node < n:
                    dx, dy = x - px[node], y - py[node]
                    best = min(best, dx * dx + dy * dy)
                    difference = dy if level & 1 else dx
                    right_first = 1 if difference > 0 else 0
                    far = 2 * node + 2 - right_first
                    node = 2 * node + 1 + right_first
                    level += 1
                    if far < n and difference * difference < best:
                        stack[top], bound[top] = far, difference * difference
                        top += 1
            nearest[i] = best


@benchmark("kdtree", small={"levels": 6, "queries": 256})
def search(levels: int = 16, queries: int = 1 << 18) -> Case:
    """Uniform points and queries; the first 512 are checked."""
    r = random()
    n = (1 << levels) - 1
    heap = kd_tree(r.uniform(0, 1, (n, 2)).astype(np.float32), levels)
    qx, qy = r.uniform(0, 1, (2, queries)).astype(np.float32)
    checked = min(queries, 512)
    want = np.sqrt(squared_distances(qx[:checked], qy[:checked], heap).min(1))

    def error(results: Results) -> float:
        got = np.sqrt(results("nearest")[:checked].astype(np.float64))
        return np.count_nonzero(np.abs(got - want) > 1e-5) / checked

    arrays = {
        "nearest": np.zeros(queries, np.float32),
        "qx": qx,
        "qy": qy,
        "px": np.ascontiguousarray(heap[:, 0]),
        "py": np.ascontiguousarray(heap[:, 1]),
    }
    return Case(
        arrays=arrays,
        launches=(Launch("kdtree", (queries,), (256,), (*arrays, np.int32(n))),),
        loops=kdtree,
        call=(*arrays, n, queries),
        error=error,
        tolerance=0.001,
    )
