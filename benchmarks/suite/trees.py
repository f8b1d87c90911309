"""Search trees in heap order: the children of node i are 2i + 1 and 2i + 2."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array


def kd_tree(points: Array, levels: int) -> Array:
    """2^levels - 1 points in the plane, split by x on even levels and by y on odd ones."""
    heap = np.zeros_like(points)
    groups = [points]
    for level in range(levels):
        below: list[Array] = []
        for number, group in enumerate(groups):
            group = group[np.argsort(group[:, level % 2], kind="stable")]
            middle = len(group) // 2
            heap[(1 << level) - 1 + number] = group[middle]
            below += [group[:middle], group[middle + 1 :]]
        groups = below
    return heap


def binary_tree(levels: int) -> tuple[Array, Array, Array]:
    """Labels, left and right children (0: none) of a tree of the first even numbers."""
    n = (1 << levels) - 1
    label = np.zeros(n, np.float32)
    for level in range(levels):
        step = 1 << (levels - level)
        label[(1 << level) - 1 : (2 << level) - 1] = 2 * np.arange(
            step // 2 - 1, n, step
        )
    node = np.arange(n)
    left, right = (
        np.where(child < n, child, 0).astype(np.int32)
        for child in (2 * node + 1, 2 * node + 2)
    )
    return label, left, right


def squared_distances(x: Array, y: Array, points: Array) -> Array:
    """From each query to each point, in double precision."""
    x, y, points = (v.astype(np.float64) for v in (x, y, points))
    return (x[:, None] - points[:, 0]) ** 2 + (y[:, None] - points[:, 1]) ** 2
