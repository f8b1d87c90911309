"""
What a launch of one group costs: three f32 arrays and one scalar, one thread.

Run as a process; prints seconds as JSON.
"""

from __future__ import annotations

import json
from statistics import median
from time import perf_counter

import numpy as np

import spmd

SOURCE = """
spmd.kernel @triad(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %i = spmd.global_id x
  %xi = memref.load %x[%i] : memref<?xf32>
  %yi = memref.load %y[%i] : memref<?xf32>
  %ax = arith.mulf %a, %xi : f32
  %sum = arith.addf %ax, %yi : f32
  memref.store %sum, %z[%i] : memref<?xf32>
  spmd.return
}
"""


def measure(calls: int = 2000, repeats: int = 20) -> dict[str, float]:
    """Median seconds of a launch, bound once and checked anew each time."""
    triad = spmd.compile(SOURCE)["triad"]
    x, y, z = np.ones((3, 64), np.float32)
    bound = triad.bind(2.0, x, y, z, global_size=64, group_size=64, threads=1)

    def unbound() -> None:
        triad(2.0, x, y, z, global_size=64, group_size=64, threads=1)

    for call in (bound, unbound):
        z[:] = 0
        call()
        np.testing.assert_array_equal(z, np.full(64, 3, np.float32))
    times: dict[str, list[float]] = {"bound": [], "unbound": []}
    for _ in range(repeats):
        for name, call in (("bound", bound), ("unbound", unbound)):
            start = perf_counter()
            for _ in range(calls):
                call()
            times[name].append((perf_counter() - start) / calls)
    return {name: median(values) for name, values in times.items()}


if __name__ == "__main__":
    print(json.dumps(measure()))
