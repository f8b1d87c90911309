"""One step of n bodies that attract each other, staged through local memory."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, random
from benchmarks.suite.plain import prange

NAMES = ("nx", "ny", "nz", "nvx", "nvy", "nvz", "px", "py", "pz", "m", "vx", "vy", "vz")


def nbody(
    nx: Array,
    ny: Array,
    nz: Array,
    nvx: Array,
    nvy: Array,
    nvz: Array,
    px: Array,
    py: Array,
    pz: Array,
    m: Array,
    vx: Array,
    vy: Array,
    vz: Array,
    n: int,
) -> None:
    """Body by body, and all others for each."""
    dt, eps2, one = np.float32(0.005), np.float32(0.01), np.float32(1)
    for i in prange(n):
        x, y, z = px[i], py[i], pz[i]
        ax, ay, az = np.float32(0), np.float32(0), np.float32(0)
        for j in range(n):
            dx, dy, dz = px[j] - x, py[j] - y, pz[j] - z
            inv = one / math.sqrt(dx * dx + dy * dy + dz * dz + eps2)
            s = m[j] * inv * inv * inv
            ax += s * dx
            ay += s * dy
            az += s * dz
        nvx[i] = vx[i] + dt * ax
        nvy[i] = vy[i] + dt * ay
        nvz[i] = vz[i] + dt * az
        nx[i] = x + dt * nvx[i]
        ny[i] = y + dt * nvy[i]
        nz[i] = z + dt * nvz[i]


@benchmark("nbody", small={"n": 256})
def step(n: int = 16384) -> Case:
    """n bodies; the first 256 are checked."""
    r = random()
    arrays: dict[str, Array] = {name: np.zeros(n, np.float32) for name in NAMES}
    for name in ("px", "py", "pz", "vx", "vy", "vz"):
        arrays[name] = r.uniform(-1, 1, n).astype(np.float32)
    arrays["m"] = r.uniform(0.1, 1, n).astype(np.float32)
    checked = min(n, 256)
    position = np.stack([arrays[k].astype(np.float64) for k in ("px", "py", "pz")])
    away = position[:, None, :] - position[:, :checked, None]
    weight = arrays["m"] * ((away * away).sum(0) + 0.01) ** -1.5
    expected: dict[str, Array] = {}
    for axis, letter in enumerate("xyz"):
        velocity = arrays[f"v{letter}"][:checked] + 0.005 * (weight * away[axis]).sum(1)
        expected[f"nv{letter}"] = velocity
        expected[f"n{letter}"] = position[axis, :checked] + 0.005 * velocity
    return Case(
        arrays=arrays,
        launches=(Launch("nbody", (n,), (256,), (*NAMES, np.int32(n))),),
        loops=nbody,
        call=(*NAMES, n),
        error=farthest(expected),
        tolerance=1e-4,
        flops=20.0 * n * n,
    )
