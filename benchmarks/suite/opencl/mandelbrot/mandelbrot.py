"""The Mandelbrot set: a loop that every work-item leaves when it likes."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, Results, benchmark
from benchmarks.suite.plain import prange


def mandelbrot(out: Array, width: int, height: int, max_iter: int) -> None:
    """Pixel by pixel."""
    for py in prange(height):
        cy = np.float32(-1.5) + np.float32(3) * np.float32(py) / np.float32(height)
        for px in range(width):
            cx = np.float32(-2) + np.float32(3) * np.float32(px) / np.float32(width)
            x, y, it = np.float32(0), np.float32(0), 0
            while it < max_iter and x * x + y * y <= np.float32(4):
                t = x * x - y * y + cx
                y = np.float32(2) * x * y + cy
                x = t
                it += 1
            out[py * width + px] = it


@benchmark("mandelbrot", small={"n": 48, "max_iter": 40})
def picture(n: int = 2048, max_iter: int = 256) -> Case:
    """A picture of n by n pixels; rounding may change the count of a few."""
    every = 16
    rows = np.arange(0, n, every, dtype=np.float32)
    px, py = np.meshgrid(np.arange(n, dtype=np.float32), rows)
    # Said here, or pyright takes a third of its time to see what the loop computes.
    cx: Array = np.float32(-2) + np.float32(3) * px / np.float32(n)
    cy: Array = np.float32(-1.5) + np.float32(3) * py / np.float32(n)
    x, y = np.zeros_like(cx), np.zeros_like(cx)
    want = np.zeros(cx.shape, np.int32)
    with np.errstate(all="ignore"):
        for _ in range(max_iter):
            inside = x * x + y * y <= 4
            want += inside
            t = x * x - y * y + cx
            x, y = np.where(inside, t, x), np.where(inside, 2 * x * y + cy, y)

    def error(results: Results) -> float:
        got = results("out").reshape(n, n)[::every]
        return np.count_nonzero(np.abs(got - want) > 1) / got.size

    sizes = (n, n, max_iter)
    arguments = ("out", *(np.int32(size) for size in sizes))
    return Case(
        arrays={"out": np.zeros((n, n), np.int32)},
        launches=(Launch("mandelbrot", (n, n), (16, 16), arguments),),
        loops=mandelbrot,
        call=("out", *sizes),
        error=error,
        tolerance=0.01,
        flops=8.0 * every * float(want.sum()),
    )
