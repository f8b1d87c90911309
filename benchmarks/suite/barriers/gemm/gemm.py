"""Product of square matrices, tile by tile through local memory: two barriers in a loop."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import TYPES, farthest, in_type, numbers, random
from benchmarks.suite.plain import prange


def gemm(c: Array, a: Array, b: Array, n: int) -> None:
    """Four rows and 64 columns at a time."""
    for i in prange(n // 4):
        block = np.empty((4, 64), c.dtype)
        for j in range(0, n, 64):
            block[:] = 0
            for k in range(n):
                for row in range(4):
                    left = a[(i * 4 + row) * n + k]
                    for column in range(64):
                        block[row, column] += left * b[k * n + j + column]
            for row in range(4):
                for column in range(64):
                    c[(i * 4 + row) * n + j + column] = block[row, column]


@benchmark("gemm_f32", small={"n": 64}, type_="f32", tolerance=1e-5)
@benchmark("gemm_f64", small={"n": 64}, type_="f64", tolerance=1e-13)
def product(n: int = 1024, *, type_: str, tolerance: float) -> Case:
    """Matrices of n by n elements of `type_`."""
    generator = random()
    a, b = (numbers(n * n, type_, generator).reshape(n, n) for _ in range(2))
    dtype = TYPES[type_][0]
    return Case(
        arrays={"c": np.zeros((n, n), dtype), "a": a, "b": b},
        launches=(Launch("gemm", (n, n), (16, 16), ("c", "a", "b", np.int32(n))),),
        loops=gemm,
        call=("c", "a", "b", n),
        error=farthest({"c": a.astype(np.float64) @ b.astype(np.float64)}),
        tolerance=tolerance,
        flops=2.0 * n**3,
        numpy=lambda arrays: np.matmul(arrays["a"], arrays["b"], out=arrays["c"]),
        **in_type("gemm", type_),
    )
