"""Scalar products of groups of 256: a product, then the tree of the reduction."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import TYPES, farthest, in_type, numbers, random
from benchmarks.suite.plain import prange


def scalar_product(partial: Array, x: Array, y: Array, groups: int) -> None:
    """Product after product."""
    for g in prange(groups):
        total = x[g * 256] * y[g * 256]
        for i in range(1, 256):
            total += x[g * 256 + i] * y[g * 256 + i]
        partial[g] = total


def products(groups: int = 12000, *, type_: str) -> Case:
    """Elements of `type_`."""
    n = groups * 256
    generator = random()
    x, y = (numbers(n, type_, generator) for _ in range(2))
    wide = x.astype(np.float64 if type_.startswith("f") else np.int64)
    return Case(
        arrays={"partial": np.zeros(groups, x.dtype), "x": x, "y": y},
        launches=(Launch("scalar_product", (n,), (256,), ("partial", "x", "y")),),
        loops=scalar_product,
        call=("partial", "x", "y", groups),
        error=farthest({"partial": (wide * y).reshape(-1, 256).sum(1)}),
        tolerance=1e-5,
        bytes=2.0 * x.nbytes,
        flops=2.0 * n,
        **in_type("scalar_product", type_),
    )


for _type in TYPES:
    benchmark(f"scalar_product_{_type}", small={"groups": 5}, type_=_type)(products)
