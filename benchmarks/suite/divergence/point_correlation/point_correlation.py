"""Point correlation: how many points of a k-d tree are within a radius of each query."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, Results, benchmark
from benchmarks.suite.data import random
from benchmarks.suite.plain import prange
from benchmarks.suite.trees import kd_tree, squared_distances


def point_correlation(
    count: Array,
    qx: Array,
    qy: Array,
    px: Array,
    py: Array,
    radius2: Array,
    n: int,
    queries: int,
) -> None:
    """Query by query, in chunks that share a stack."""
    chunk = min(1024, queries)
    limit = radius2[0]
    for c in prange(queries // chunk):
        stack = np.empty(64, np.int64)
        for i in range(c * chunk, (c + 1) * chunk):
            x, y, found = qx[i], qy[i], 0
            stack[0], top = 0, 1
            while top > 0:
                top -= 1
                node = stack[top]
                dx, dy = x - px[node], y - py[node]
                if dx * dx + dy * dy <= limit:
                    found += 1
                level = 0
                rest = node + 1
                while rest > 1:
                    rest >>= 1
                    level += 1
                difference = dy if level & 1 else dx
                right = 1 if difference > 0 else 0
                near, far = 2 * node + 1 + right, 2 * node + 2 - right
                if far < n and difference * difference <= limit:
                    stack[top] = far
                    top += 1
                if near < n:
                    stack[top] = near
                    top += 1
            count[i] = found


@benchmark("point_correlation", small={"levels": 6, "queries": 256})
def correlation(levels: int = 14, queries: int = 1 << 14) -> Case:
    """Uniform points, queries in one corner; the first 512 are checked."""
    r = random()
    n = (1 << levels) - 1
    heap = kd_tree(r.uniform(0, 1, (n, 2)).astype(np.float32), levels)
    qx, qy = r.uniform(0, 0.4, (2, queries)).astype(np.float32)
    radius2 = np.array([0.05**2], np.float32)
    checked = min(queries, 512)
    distances = squared_distances(qx[:checked], qy[:checked], heap)
    want = (distances <= radius2[0]).sum(1)

    def error(results: Results) -> float:
        # Rounding may count a point on the circle, or not.
        wrong = np.abs(results("count")[:checked] - want) > 1
        return np.count_nonzero(wrong) / checked

    arrays = {
        "count": np.zeros(queries, np.int32),
        "qx": qx,
        "qy": qy,
        "px": np.ascontiguousarray(heap[:, 0]),
        "py": np.ascontiguousarray(heap[:, 1]),
        "radius2": radius2,
    }
    return Case(
        arrays=arrays,
        launches=(
            Launch("point_correlation", (queries,), (256,), (*arrays, np.int32(n))),
        ),
        loops=point_correlation,
        call=(*arrays, n, queries),
        error=error,
        tolerance=0.001,
    )
