"""
Launches in groups of several shapes, and tiles of lanes.

```sh
python -m benchmarks.shapes              # all tables, one thread
python -m benchmarks.shapes groups       # groups: time by that of the fastest shape
python -m benchmarks.shapes tiles        # tiles: how many times as fast as 8 lanes along x,
                                         # without load-chunks
python -m benchmarks.shapes transpose    # beside lanes along x, and C with tiles of 8x8
python -m benchmarks.shapes sgemm        # one output per work-item, beside NumPy's BLAS
python -m benchmarks.shapes layouts      # stencils by hand in C: blocks of 2x2 by rows
```

The tiles are the brushes of S. Moll, *Vectorization System for Unstructured Codes with a
Data-parallel Compiler IR*, 2021, chapter 11, `f64` in 1024x1024, beside what is chosen without
`shape`, and C with relaxed floating-point rules. All of a row run in turns in one process.
"""

# pyright: basic

import ctypes
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

# NumPy reads it when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.shapes import kernels
from benchmarks.systems.c import load_c
from benchmarks.tutorials.kernels import matmul

RUNS = 15
GROUPS = ((16, 16), (8, 8), (4, 64), (64, 4), (256, 1))
TILES = ((8,), (4, 2), (8, 2), (16, 2), (2, 4), (4, 4), (8, 4), (2, 8), (4, 8), (2, 16))
BASE = "1-D"


def _square(side: int) -> list[tuple[int, int]]:
    return [(y, x) for y in range(side) for x in range(side)]


STENCILS = {
    "Jacobi-5": [(y, x) for y, x in _square(3) if 1 in (y, x)],
    "Seidel-9": _square(3),
    "Seidel-25": _square(5),
    "sparse-5": [(y, x) for y, x in _square(3) if (x == 1) != (y == 1)],
}
"""The points of each, y and x, from the least of both."""


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).random(shape, np.float32)


def grouped(n: int = 1024) -> dict[str, tuple[Any, ...]]:
    """The kernels that are launched in several groups, and their arguments; the last is out."""
    return {
        "mandelbrot": (np.zeros((n // 2, n // 2), np.int32),),
        "convolution": (_random(n + 4, n + 4), _random(5, 5), _random(n, n)),
        "heat": (_random(n + 2, n + 2), _random(n, n)),
        "heat_by_hand": (_random(n + 2, n + 2), _random(n, n)),
        "floyd_warshall": (7, _random(n, n)),
        "black_scholes": (*(_random(n, n) + 0.1 for _ in range(3)), _random(n, n)),
        "transpose": (_random(n, n), _random(n, n)),
    }


def in_groups(name: str, arguments: tuple[Any, ...]) -> list[Callable[[], object]]:
    """A launch of a kernel for each shape of groups."""
    rows, columns = arguments[-1].shape
    kernel = getattr(kernels, name)
    size = (columns, rows)
    return [
        kernel.bind(*arguments, global_size=size, group_size=group, threads=1)
        for group in GROUPS
    ]


def in_tiles(name: str, n: int = 1024) -> tuple[Any, dict[str, Callable[[], object]]]:
    """The result of a stencil, and what computes it: launches by tile, and C."""
    points = tuple(STENCILS[name])
    radius = max(max(point) for point in points) // 2
    a = np.random.default_rng(1).random((n + 2 * radius, n + 2 * radius))
    out = np.zeros((n, n))
    options: dict[str, dict[str, Any]] = {
        BASE: {"shape": TILES[0], "without": ("load-chunks",)},
        # Not after tiles of two lanes: what runs next seems slower than it is.
        "chosen": {},
        **{"x".join(map(str, tile)): {"shape": tile} for tile in TILES},
    }
    runs: dict[str, Callable[[], object]] = {
        name: kernels.stencil.replaced({}, given).bind(
            a, out, points, global_size=(n, n), group_size=(64, 16), threads=1
        )
        for name, given in options.items()
    }
    uses = "||".join(f"(x == {x} && y == {y})" for y, x in points)
    runs["C"] = _in_c("stencil", a, out, f"-DRADIUS={radius}", f"-DUSES(x,y)=({uses})")
    return out, runs


def transposed(n: int) -> tuple[Any, dict[str, Callable[[], object]]]:
    """The transpose of n x n `f32`, and what computes it."""
    a, out = _random(n, n), np.zeros((n, n), np.float32)
    options = {"scatter": {"shape": (16,)}, "chosen": {}}
    runs: dict[str, Callable[[], object]] = {
        name: kernels.transpose.replaced({}, given).bind(
            a, out, global_size=(n, n), threads=1
        )
        for name, given in options.items()
    }
    runs["C"] = _in_c("transpose", a, out)
    return out, runs


def multiplied(n: int) -> tuple[Any, dict[str, Callable[[], object]]]:
    """A product of n x n `f32`, and what computes it."""
    a, b, out = _random(n, n), _random(n, n), np.zeros((n, n), np.float32)
    run = matmul.bind(a, b, out, global_size=(n, n), threads=1)
    return out, {"chosen": run, "BLAS": lambda: np.matmul(a, b, out)}


def laid_out(
    points: int, n: int
) -> list[tuple[Callable[[], Any], Callable[[], object]]]:
    """
    A stencil of 5 or 9 points in C, over rows and over blocks of 2x2.

    The result as rows, and what computes it. Neither counts what it takes to put data in blocks.
    """
    a = np.random.default_rng(1).random((n + 2, n + 2))
    by_rows, by_blocks = np.zeros((n + 2, n + 16)), np.zeros((n + 4, n + 8))
    by_rows[:, 7:-7], by_blocks[1:-1, 3:-3] = a, a
    blocks = by_blocks.reshape(n // 2 + 2, 2, n // 4 + 2, 2, 2).transpose(0, 2, 3, 1, 4)
    macros = ["-DNINE"] if points == 9 else []
    rows, whole = np.zeros((n, n)), np.zeros((n, n))
    parts = whole.reshape(n // 2, n // 4, 2, 2, 2).transpose(0, 3, 1, 2, 4)
    return [
        (lambda: rows, _in_c("layouts", by_rows, rows, *macros)),
        (
            lambda: parts.reshape(n, n),
            _in_c("layouts", blocks.copy(), whole, "-DBLOCKS", *macros),
        ),
    ]


def _in_c(name: str, a: Any, out: Any, *macros: str) -> Callable[[], object]:
    """What runs a function of C that takes `a` and `out`, whose side is n."""
    [source] = Path(__file__).parent.glob(f"{name}*.c")
    library = load_c(source, Path(mkdtemp()) / f"{name}.so", macros)
    function = getattr(library, name)

    def run() -> object:
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in (a, out)]
        return function(*pointers, ctypes.c_long(len(out)))

    return run


def best_of(runs: list[Callable[[], object]], times: int = RUNS) -> list[float]:
    """Seconds of the fastest of so many runs of each, in turns, each after one of its own."""
    best = [float("inf")] * len(runs)
    for _ in range(times):
        for number, run in enumerate(runs):
            run()
            start = time.perf_counter()
            run()
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def main(tables: list[str]) -> None:
    """Prints the tables."""
    if "groups" in tables:
        print(f"{'':16}", *(f"{x}x{y}".rjust(7) for x, y in GROUPS))
        for name, arguments in grouped().items():
            found = best_of(in_groups(name, arguments))
            print(f"{name:16}", *(f"{each / min(found):7.2f}" for each in found))
    if "tiles" in tables:
        for number, name in enumerate(STENCILS):
            _, runs = in_tiles(name)
            if number == 0:
                print(f"{'':16}", *(each.rjust(7) for each in runs))
            found = best_of([*runs.values()])
            print(f"{name:16}", *(f"{found[0] / each:7.2f}" for each in found))
    for n in (1024, 1000, 1040) if "transpose" in tables else ():
        scatter, chosen, c = best_of([*transposed(n)[1].values()], 60)
        print(
            f"transpose of {n}: {scatter / chosen:.1f} times as fast as scattering"
            f"{' (goal: 6)' if n == 1024 else ''}, {chosen / c:.2f} of C's time (goal: 1.3)"
        )
    if "sgemm" in tables:
        chosen, blas = best_of([*multiplied(1024)[1].values()])
        print(f"sgemm of 1024: {blas / chosen:.2f} times as fast as BLAS (goal: 0.5)")
    for n in (256, 1024) if "layouts" in tables else ():
        for name, points in (("Jacobi-5", 5), ("Seidel-9", 9)):
            runs = [run for _, run in laid_out(points, n)]
            chosen = in_tiles(name, n)[1]["chosen"]
            rows, blocks, tiles = best_of([*runs, chosen], 60)
            print(
                f"{name} of {n}, blocks of 2x2 in C: {blocks / rows:.2f} of the time of rows in C, "
                f"{blocks / tiles:.2f} of that of tiles"
            )


if __name__ == "__main__":
    main(sys.argv[1:] or ["groups", "tiles", "transpose", "sgemm", "layouts"])
