"""
What steps over arrays of Dask cost beside single launches: the heat equation in 16 chunks.

    python -m benchmarks.overhead.chunks [SIZE STEPS [TURNS]]

Prints, for arrays of SIZE times SIZE f32 elements, how many times longer `spmd.dask.iterate`
took, with and without a `compute()` of the result: on the wall, and in processor time, which
other programs disturb less. Both forms take turns; ratios are those of the medians.

Chunks are those of one array of NumPy (`da.from_array`), or each has memory of its own, as
what Dask computed has.

Before each turn as much memory as it takes is touched and freed: a virtual machine gives what
is free for a second back to its host, which would be counted here.
"""

# pyright: basic

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any

import dask.array as da
import numpy as np

import spmd
import spmd.dask
from spmd.language import global_id

CASES = ((4096, 24), (4096, 96), (8192, 48))
TURNS = 5
ARRAYS = 4
"""Arrays that a turn takes at most: the copy of what was given, two of steps, the result."""


@spmd.kernel
def heat(u, new):
    """One step of the heat equation; the border stays."""
    x, y = global_id(0), global_id(1)
    if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
        around = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
        new[y, x] = u[y, x] + (around - u[y, x] * 4) * 0.125


def measure(size: int, steps: int, turns: int) -> dict[str, tuple[float, float]]:
    """By form: seconds on the wall and of processors; that of single launches is "single"."""
    start = np.random.default_rng(1).random((size, size), np.float32)
    views: Any = da.from_array(start, chunks=-(-size // 4))  # pyright: ignore
    apart = views.map_blocks(np.copy).persist()
    sizes: dict[str, Any] = {"global_size": (size, size), "group_size": (32, 4)}
    times: dict[str, list[tuple[float, float]]] = {}

    def timed(name: str, run: Callable[[], Any]) -> Any:
        for array in [np.empty_like(start) for _ in range(ARRAYS)]:
            array.fill(1)
        wall, processor = perf_counter(), process_time()
        result = run()
        taken = perf_counter() - wall, process_time() - processor
        times.setdefault(name, []).append(taken)
        return result

    def single(u: Any, new: Any) -> Any:
        for _ in range(steps):
            heat(u, new, **sizes)
            u, new = new, u
        return u

    def stepped(u: Any) -> Any:
        given = {"u": u, "new": u}
        return spmd.dask.iterate(heat, steps, given, swap={"new": "u"}, **sizes)["new"]

    for turn in range(turns + 1):
        u, new = start.copy(), start.copy()
        expected = timed("single", lambda: single(u, new))
        for name, given in (("one array", views), ("separate chunks", apart)):
            timed(name, lambda: stepped(given))
            found = timed(f"{name}, computed", lambda: stepped(given).compute())
            np.testing.assert_array_equal(found, expected)
        if turn == 0:
            times.clear()  # compiled now
    return {
        name: (median(w for w, _ in taken), median(p for _, p in taken))
        for name, taken in times.items()
    }


def main(arguments: list[int]) -> None:
    cases = [(arguments[0], arguments[1])] if arguments else CASES
    turns = arguments[2] if len(arguments) > 2 else TURNS
    print("| array, steps | chunks | on the wall | processor time |")
    print("| --- | --- | --- | --- |")
    for size, steps in cases:
        times = measure(size, steps, turns)
        wall, processor = times.pop("single")
        for name, (w, p) in times.items():
            ratios = f"{w / wall:.2f} | {p / processor:.2f}"
            print(f"| {size}², {steps} | {name} | {ratios} |", flush=True)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]])
