"""Discrete cosine transform of 8x8 blocks: two small products, local memory, a barrier."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, uniform
from benchmarks.suite.plain import prange


def dct8x8(out: Array, image: Array, basis: Array, n: int) -> None:
    """Block by block, with the half product in eight rows."""
    for by in prange(n // 8):
        half = np.empty((8, 8), np.float32)
        for bx in range(n // 8):
            for y in range(8):
                for x in range(8):
                    total = np.float32(0)
                    for k in range(8):
                        pixel = image[(by * 8 + k) * n + bx * 8 + x]
                        total += basis[y * 8 + k] * pixel
                    half[y, x] = total
            for y in range(8):
                for x in range(8):
                    total = np.float32(0)
                    for k in range(8):
                        total += half[y, k] * basis[x * 8 + k]
                    out[(by * 8 + y) * n + bx * 8 + x] = total


@benchmark("dct8x8", small={"n": 32})
def blocks(n: int = 2048) -> Case:
    """An image of n by n pixels."""
    x = np.arange(8)
    k = x[:, None]
    basis = np.where(k == 0, np.sqrt(1 / 8), 0.5 * np.cos((2 * x + 1) * k * np.pi / 16))
    image = uniform(n, n, low=0, high=255)
    tiles = image.astype(np.float64).reshape(n // 8, 8, n // 8, 8).transpose(0, 2, 1, 3)
    expected = (basis @ tiles @ basis.T).transpose(0, 2, 1, 3).reshape(n, n)
    names = ("out", "image", "basis")
    arrays = (np.zeros((n, n), np.float32), image, basis.astype(np.float32))
    return Case(
        arrays=dict(zip(names, arrays, strict=True)),
        launches=(Launch("dct8x8", (n, n), (8, 8), (*names, np.int32(n))),),
        loops=dct8x8,
        call=(*names, n),
        error=farthest({"out": expected}),
        tolerance=1e-5,
        bytes=8.0 * n * n,
        flops=32.0 * n * n,
    )
