"""Bitonic sort of unsigned integers: one launch for each pass."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import differing, random
from benchmarks.suite.plain import prange


def bitonic_sort(a: Array, log_n: int) -> None:
    """Pairs in chunks, and in a chunk the innermost loop over contiguous elements."""
    pairs = 1 << (log_n - 1)
    chunk = min(8192, pairs)
    for stage in range(log_n):
        for back in range(stage + 1):
            shift = stage - back
            distance = 1 << shift
            for c in prange(pairs // chunk):
                i = c * chunk
                end = i + chunk
                while i < end:
                    offset = i & (distance - 1)
                    count = min(distance - offset, end - i)
                    left = ((i >> shift) << (shift + 1)) + offset
                    low = a[left : left + count]
                    high = a[left + distance : left + distance + count]
                    if ((i >> stage) & 1) == 0:
                        for j in range(count):
                            x, y = low[j], high[j]
                            low[j] = min(x, y)
                            high[j] = max(x, y)
                    else:
                        for j in range(count):
                            x, y = low[j], high[j]
                            low[j] = max(x, y)
                            high[j] = min(x, y)
                    i += count


def _sort(log_n: int, launches: list[Launch]) -> Case:
    a = random().integers(0, 2**32, 1 << log_n, dtype=np.uint32)
    return Case(
        arrays={"a": a},
        launches=tuple(launches),
        loops=bitonic_sort,
        call=("a", log_n),
        error=differing({"a": np.sort(a)}),
        in_place=True,
        bytes=len(launches) * 8.0 * a.size,
        numpy=lambda arrays: arrays["a"].sort(),
    )


def _launch(kernel: str, log_n: int, stage: int, pass_: int) -> Launch:
    arguments = ("a", np.int32(stage), np.int32(pass_))
    return Launch(kernel, (1 << (log_n - 1),), (256,), arguments)


@benchmark("bitonic_sort", small={"log_n": 10})
def whole_sort(log_n: int = 20) -> Case:
    """Every pass in global memory."""
    launches = [
        _launch("bitonic", log_n, stage, pass_)
        for stage in range(log_n)
        for pass_ in range(stage + 1)
    ]
    return _sort(log_n, launches)


@benchmark(small={"log_n": 10})
def bitonic_local(log_n: int = 20) -> Case:
    """The passes that fit a work-group in local memory, with one barrier each."""
    launches: list[Launch] = []
    for stage in range(log_n):
        first_local = max(0, stage - 8)  # from there the distance is at most 256
        launches += [_launch("bitonic", log_n, stage, p) for p in range(first_local)]
        launches.append(_launch("bitonic_tail", log_n, stage, first_local))
    return _sort(log_n, launches)
