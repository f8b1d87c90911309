"""Wallace's random numbers: a pool in local memory, gathered and mixed, two barriers."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, random
from benchmarks.suite.plain import prange


def wallace(out: Array, seed: Array, repeats: int, groups: int) -> None:
    """Group by group."""
    for g in prange(groups):
        pool = seed[g * 1024 : g * 1024 + 1024].copy()
        mixed = np.empty(1024, np.float32)
        for r in range(repeats):
            for lid in range(256):
                at = lid * 4 * 293 + r * 77
                p, q = pool[at & 1023], pool[(at + 293) & 1023]
                u, v = pool[(at + 586) & 1023], pool[(at + 879) & 1023]
                t = np.float32(0.5) * (p + q + u + v)
                mixed[lid] = p - t
                mixed[lid + 256] = q - t
                mixed[lid + 512] = t - u
                mixed[lid + 768] = t - v
            for i in range(1024):
                pool[i] = mixed[i]
                out[(g * repeats + r) * 1024 + i] = mixed[i]


@benchmark("wallace", small={"groups": 2, "repeats": 3})
def numbers(groups: int = 256, repeats: int = 32) -> Case:
    """1024 numbers of each group and iteration."""
    seed = random().standard_normal((groups, 1024)).astype(np.float32)
    pool = seed.astype(np.float64)
    want = np.zeros((groups, repeats, 1024))
    lid = np.arange(256)
    for r in range(repeats):
        at = lid * 4 * 293 + r * 77
        p, q, u, v = (pool[:, (at + k * 293) & 1023] for k in range(4))
        t = 0.5 * (p + q + u + v)
        pool = np.concatenate((p - t, q - t, t - u, t - v), 1)
        want[:, r] = pool
    arguments = ("out", "seed", np.int32(repeats))
    return Case(
        arrays={"out": np.zeros(want.shape, np.float32), "seed": seed},
        launches=(Launch("wallace", (groups * 256,), (256,), arguments),),
        loops=wallace,
        call=("out", "seed", repeats, groups),
        error=farthest({"out": want}),
        tolerance=1e-5,
        bytes=4.0 * want.size,
        flops=2.0 * want.size,
    )
