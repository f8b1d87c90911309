"""Shortest paths between all pairs: a branch that few work-items take, many launches."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing, random
from benchmarks.suite.plain import prange


def floyd_warshall(distance: Array, path: Array, n: int) -> None:
    """Row by row for each node between."""
    for k in range(n):
        for y in prange(n):
            to_k = distance[y * n + k]
            for x in range(n):
                old, via = distance[y * n + x], to_k + distance[k * n + x]
                if via < old:
                    distance[y * n + x] = via
                    path[y * n + x] = k


@benchmark("floyd_warshall", small={"n": 32})
def paths(n: int = 512) -> Case:
    """A complete graph of n nodes."""
    distance = random().integers(1, 1000, (n, n), dtype=np.uint32)
    np.fill_diagonal(distance, 0)
    want = distance.copy()
    for k in range(n):
        np.minimum(want, want[:, k : k + 1] + want[k], out=want)
    size = np.int32(n)
    launches = [
        Launch(
            "floyd_warshall", (n, n), (16, 16), ("distance", "path", size, np.int32(k))
        )
        for k in range(n)
    ]
    return Case(
        arrays={"distance": distance, "path": np.zeros((n, n), np.uint32)},
        launches=tuple(launches),
        loops=floyd_warshall,
        call=("distance", "path", n),
        error=differing({"distance": want}),
        in_place=True,
        bytes=8.0 * n**3,
    )
