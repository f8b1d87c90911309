"""XSBench: a binary search, then gathers from tables of cross sections."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, random
from benchmarks.suite.plain import prange


def xsbench(
    out: Array,
    energy: Array,
    material: Array,
    grid: Array,
    index: Array,
    nuclide_energy: Array,
    xs: Array,
    mat_start: Array,
    mat_nuclide: Array,
    mat_density: Array,
    n_grid: int,
    n_nuclides: int,
    n_points: int,
    lookups: int,
) -> None:
    """Lookup by lookup."""
    for i in prange(lookups):
        e = energy[i]
        lo, hi = 0, n_grid - 1
        while hi - lo > 1:
            mid = lo + (hi - lo) // 2
            if grid[mid] > e:
                hi = mid
            else:
                lo = mid
        s0 = s1 = s2 = s3 = s4 = 0.0
        m = material[i]
        for j in range(mat_start[m], mat_start[m + 1]):
            nuclide = mat_nuclide[j]
            at = nuclide * n_points + index[lo * n_nuclides + nuclide]
            e0, e1 = nuclide_energy[at], nuclide_energy[at + 1]
            f, d = (e1 - e) / (e1 - e0), mat_density[j]
            a, b = at * 5, at * 5 + 5
            s0 += d * (xs[b] - f * (xs[b] - xs[a]))
            s1 += d * (xs[b + 1] - f * (xs[b + 1] - xs[a + 1]))
            s2 += d * (xs[b + 2] - f * (xs[b + 2] - xs[a + 2]))
            s3 += d * (xs[b + 3] - f * (xs[b + 3] - xs[a + 3]))
            s4 += d * (xs[b + 4] - f * (xs[b + 4] - xs[a + 4]))
        out[i * 5] = s0
        out[i * 5 + 1] = s1
        out[i * 5 + 2] = s2
        out[i * 5 + 3] = s3
        out[i * 5 + 4] = s4


def _tables(nuclides: int, points: int, materials: int) -> dict[str, Array]:
    r = random()
    energy = np.sort(r.uniform(0, 1, (nuclides, points)), 1)
    xs = r.uniform(0, 1, (nuclides, points, 5))
    grid = np.sort(energy.reshape(-1))
    nearest = [np.searchsorted(row, grid, side="right") - 1 for row in energy]
    counts = r.integers(1, nuclides + 1, materials)
    held = np.concatenate([r.permutation(nuclides)[:count] for count in counts])
    return {
        "grid": grid,
        "index": np.clip(np.stack(nearest, 1), 0, points - 2).astype(np.int32),
        "nuclide_energy": energy,
        "xs": xs,
        "mat_start": np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        "mat_nuclide": held.astype(np.int32),
        "mat_density": r.uniform(0.1, 1, len(held)),
    }


def _cross_sections(t: dict[str, Array], energy: Array, material: Array) -> Array:
    want = np.zeros((len(energy), 5))
    below = np.searchsorted(t["grid"], energy, side="right") - 1
    for i, (e, m) in enumerate(zip(energy, material, strict=True)):
        held = slice(t["mat_start"][m], t["mat_start"][m + 1])
        nuclide = t["mat_nuclide"][held]
        at = t["index"][below[i], nuclide]
        e0, e1 = t["nuclide_energy"][nuclide, at], t["nuclide_energy"][nuclide, at + 1]
        f = ((e1 - e) / (e1 - e0))[:, None]
        low, high = t["xs"][nuclide, at], t["xs"][nuclide, at + 1]
        want[i] = t["mat_density"][held] @ (high - f * (high - low))
    return want


@benchmark("xsbench", small={"points": 50, "lookups": 256})
def lookup(points: int = 2000, lookups: int = 1 << 19) -> Case:
    """Random lookups in the grid of 32 nuclides and 12 materials."""
    nuclides, materials = 32, 12
    tables = _tables(nuclides, points, materials)
    r = np.random.default_rng(1)
    energy = r.uniform(0.01, 0.99, lookups)
    material = r.integers(0, materials, lookups).astype(np.int32)
    checked = 4096
    out = np.zeros((lookups, 5))
    arrays = {"out": out, "energy": energy, "material": material, **tables}
    sizes = (len(tables["grid"]), nuclides, points)
    arguments = (*arrays, *(np.int32(size) for size in sizes))
    want = _cross_sections(tables, energy[:checked], material[:checked])
    return Case(
        arrays=arrays,
        launches=(Launch("xsbench", (lookups,), (256,), arguments),),
        loops=xsbench,
        call=(*arrays, *sizes, lookups),
        error=farthest({"out": want}),
        tolerance=1e-9,
    )
