"""Rows of different lengths: sparse matrices and graphs, as in Rodinia and SHOC."""

# pyright: basic

from typing import Any

import numpy as np

import spmd
from benchmarks.outside.case import RANDOM, Case, case
from spmd.language import barrier, global_id, group_id, local, local_id, reduce


def _rows(n: int, longest: int) -> tuple[Any, Any, Any]:
    """Where `n` rows begin, the column of each element, and its value."""
    first = np.zeros(n + 1, np.int32)
    first[1:] = RANDOM(1).integers(0, longest, n).cumsum()
    columns = RANDOM(2).integers(0, n, first[-1], np.int32)
    return first, columns, RANDOM(3).random(first[-1], np.float32)


def _product(first: Any, columns: Any, values: Any, x: Any) -> Any:
    ends = np.concatenate([[0], (values.astype(float) * x[columns]).cumsum()])
    return (ends[first[1:]] - ends[first[:-1]]).astype(np.float32)


@case
def spmv(scale: int) -> Case:
    @spmd.kernel
    def spmv(first, columns, values, x, y):
        i = global_id()
        total = np.float32(0)
        for j in range(first[i], first[i + 1]):
            total += values[j] * x[columns[j]]
        y[i] = total

    n = 100_000 // scale
    rows, x = _rows(n, 30), RANDOM(4).random(n, np.float32)
    return Case(spmv, (*rows, x, np.zeros_like(x)), 4, _product(*rows, x), n)


@case
def spmv_group_per_row(scale: int) -> Case:
    @spmd.kernel(group_size=32)
    def spmv_group_per_row(first, columns, values, x, y):
        i = group_id()
        total = np.float32(0)
        for j in range(first[i] + local_id(), first[i + 1], 32):
            total += values[j] * x[columns[j]]
        total = reduce(sum, total)
        if local_id() == 0:
            y[i] = total

    n = 50_000 // scale
    rows, x = _rows(n, 100), RANDOM(4).random(n, np.float32)
    arguments = (*rows, x, np.zeros_like(x))
    return Case(spmv_group_per_row, arguments, 4, _product(*rows, x), n * 32)


@case
def spmv_ell(scale: int) -> Case:
    @spmd.kernel
    def spmv_ell(columns, values, x, y):
        i = global_id()
        total = np.float32(0)
        for j in range(columns.shape[0]):
            total += values[j, i] * x[columns[j, i]]
        y[i] = total

    n = 100_000 // scale
    columns = RANDOM(1).integers(0, n, (16, n), np.int32)
    values, x = RANDOM(2).random((16, n), np.float32), RANDOM(3).random(n, np.float32)
    want = (values * x[columns]).sum(0)
    return Case(spmv_ell, (columns, values, x, np.zeros_like(x)), 3, want, n)


@case
def bfs(scale: int) -> Case:
    @spmd.kernel
    def bfs(first, columns, active, cost, after):
        i = global_id()
        if active[i] != 0:
            active[i] = 0
            for j in range(first[i], first[i + 1]):
                to = columns[j]
                if cost[to] < 0:
                    after[to] = cost[i] + 1

    n = 200_000 // scale
    first, columns, _ = _rows(n, 12)
    active = (RANDOM(4).random(n) < 0.1).astype(np.uint8)
    cost = np.where(active, 3, -1).astype(np.int32)
    want = np.full(n, -1, np.int32)
    edges = np.repeat(active, np.diff(first)) & (cost[columns] < 0)
    want[columns[edges == 1]] = 4
    arguments = (first, columns, active, cost, np.full(n, -1, np.int32))
    return Case(bfs, arguments, 4, want, n, in_place=True)


@case
def triangular(scale: int) -> Case:
    """Forward substitution: many small systems, the work-items of a group share one."""

    @spmd.kernel(group_size=32)
    def triangular(matrices, right, x):
        rest = local(32, np.float32)
        system, i = group_id(), local_id()
        rest[i] = right[system, i]
        for j in range(32):
            barrier()
            if i == j:
                rest[i] /= matrices[system, j, j]
            barrier()
            if i > j:
                rest[i] -= matrices[system, i, j] * rest[j]
        barrier()
        x[system, i] = rest[i]

    n = 4096 // scale
    matrices = RANDOM(1).random((n, 32, 32), np.float32) / 8 + np.eye(
        32, dtype=np.float32
    )
    right = RANDOM(2).random((n, 32), np.float32)
    lower = np.tril(matrices).astype(float)
    want = np.linalg.solve(lower, right[..., None])[..., 0]
    return Case(triangular, (matrices, right, np.zeros_like(right)), 2, want, n * 32)


@case
def pivot(scale: int) -> Case:
    """The row with the largest element of a column, for many small matrices."""

    @spmd.kernel(group_size=64)
    def pivot(matrices, column: np.int64, rows):
        largest, where = local(64, np.float32), local(64, np.int32)
        matrix, i = group_id(), local_id()
        largest[i] = abs(matrices[matrix, i, column])
        where[i] = np.int32(i)
        step = 32
        while step > 0:
            barrier()
            if i < step and largest[i + step] > largest[i]:
                largest[i] = largest[i + step]
                where[i] = where[i + step]
            step //= 2
        if i == 0:
            rows[matrix] = where[0]

    n = 8192 // scale
    matrices = RANDOM(1).random((n, 64, 8), np.float32) - np.float32(0.5)
    want = abs(matrices[:, :, 3]).argmax(1).astype(np.int32)
    return Case(pivot, (matrices, 3, np.zeros_like(want)), 2, want, n * 64)
