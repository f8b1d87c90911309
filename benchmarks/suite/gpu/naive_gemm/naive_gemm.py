"""Product of square matrices, one element for each work-item, straight from memory."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, uniform
from benchmarks.suite.plain import prange


def naive_gemm(c: Array, a: Array, b: Array, n: int) -> None:
    """Row by row, with the columns innermost."""
    for i in prange(n):
        for j in range(n):
            c[i * n + j] = 0
        for k in range(n):
            left = a[i * n + k]
            for j in range(n):
                c[i * n + j] += left * b[k * n + j]


@benchmark("naive_gemm", small={"n": 48})
def product(n: int = 512) -> Case:
    """Matrices of n by n elements."""
    a = uniform(n, n)
    b = np.ascontiguousarray(a.T[::-1])
    return Case(
        arrays={"c": np.zeros((n, n), np.float32), "a": a, "b": b},
        launches=(
            Launch("naive_gemm", (n, n), (16, 16), ("c", "a", "b", np.int32(n))),
        ),
        loops=naive_gemm,
        call=("c", "a", "b", n),
        error=farthest({"c": a.astype(np.float64) @ b.astype(np.float64)}),
        tolerance=1e-5,
        flops=2.0 * n**3,
        numpy=lambda arrays: np.matmul(arrays["a"], arrays["b"], out=arrays["c"]),
    )
