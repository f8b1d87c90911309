"""Search in a binary tree with a stack that the lanes share, in `scf` and in `cf`."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing, random
from benchmarks.suite.plain import prange
from benchmarks.suite.trees import binary_tree


def search(
    label: Array, left: Array, right: Array, q: Array, out: Array, n: int
) -> None:
    """Query by query, each with a stack of its own."""
    chunk = 64
    for c in prange(n // chunk):
        stack = np.empty(64, np.int32)
        for i in range(c * chunk, (c + 1) * chunk):
            wanted, found = q[i], -1
            stack[0], top = 0, 1
            while top > 0:
                top -= 1
                node = stack[top]
                here = label[node]
                if here == wanted:
                    found = node
                    break
                if wanted < here and left[node] > 0:
                    stack[top] = left[node]
                    top += 1
                if here < wanted and right[node] > 0:
                    stack[top] = right[node]
                    top += 1
            out[i] = found


@benchmark("tree_scf", small={"levels": 6, "queries": 256}, mlir="binary_tree")
@benchmark("tree_cf", small={"levels": 6, "queries": 256}, mlir="binary_tree_cf")
def queries(levels: int = 20, queries: int = 1 << 17, *, mlir: str) -> Case:
    """Sorted queries, of which half are found."""
    label, left, right = binary_tree(levels)
    wanted = np.sort(random().integers(0, 2 * label.size, queries)).astype(np.float32)
    order = np.argsort(label)
    at = np.searchsorted(label, wanted, sorter=order)
    at = order[np.minimum(at, label.size - 1)]
    names = ("label", "left", "right", "q", "out")
    out = np.zeros(queries, np.int32)
    return Case(
        arrays=dict(zip(names, (label, left, right, wanted, out), strict=True)),
        launches=(Launch("search", (queries,), (64,), names),),
        loops=search,
        call=(*names, queries),
        error=differing({"out": np.where(label[at] == wanted, at, -1)}),
        mlir=mlir,
    )
