"""Fast Walsh transform: a butterfly of two loads and two stores in every pass."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, uniform
from benchmarks.suite.plain import prange


def fast_walsh(a: Array, log_n: int) -> None:
    """Pairs in chunks, and in a chunk the innermost loop over contiguous elements."""
    pairs = 1 << (log_n - 1)
    chunk = min(8192, pairs)
    for shift in range(log_n):
        step = 1 << shift
        for c in prange(pairs // chunk):
            i = c * chunk
            end = i + chunk
            while i < end:
                offset = i & (step - 1)
                count = min(step - offset, end - i)
                left = ((i >> shift) << (shift + 1)) + offset
                low, high = a[left : left + count], a[left + step : left + step + count]
                for j in range(count):
                    x, y = low[j], high[j]
                    low[j] = x + y
                    high[j] = x - y
                i += count


@benchmark("fast_walsh", small={"log_n": 10})
def transform(log_n: int = 24) -> Case:
    """An array of 2^log_n elements."""
    n = 1 << log_n
    a = uniform(n)
    want = a.astype(np.float64)
    for shift in range(log_n):
        v = want.reshape(-1, 2, 1 << shift)
        want = np.stack((v[:, 0] + v[:, 1], v[:, 0] - v[:, 1]), 1).reshape(-1)
    passes = [
        Launch("fast_walsh", (n // 2,), (256,), ("a", np.int32(shift)))
        for shift in range(log_n)
    ]
    return Case(
        arrays={"a": a},
        launches=tuple(passes),
        loops=fast_walsh,
        call=("a", log_n),
        error=farthest({"a": want}),
        tolerance=1e-5,
        in_place=True,
        bytes=8.0 * n * log_n,
        flops=1.0 * n * log_n,
    )
