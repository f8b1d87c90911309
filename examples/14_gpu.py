"""
MLIR's `gpu` dialect on CPUs: a matrix product through tiles and a sum.

`14_gpu.mlir` has nothing of this project: it is what a frontend for GPUs writes.
"""

from pathlib import Path
from time import perf_counter

import numpy as np
from harness import report, seconds, write_stages

import spmd

SOURCE = Path(__file__).with_suffix(".mlir")


def check(
    program: spmd.Program,
    rows: int,
    depth: int,
    columns: int,
    threads: int | None = None,
) -> None:
    """Raises `AssertionError` unless both are near what NumPy finds."""
    rng = np.random.default_rng(14)
    a, b = (
        rng.random((rows, depth), np.float32),
        rng.random((depth, columns), np.float32),
    )
    c, total = np.zeros((rows, columns), np.float32), np.zeros(1)
    program["product"](a, b, c, threads=threads)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)
    x = rng.random(rows * depth)
    program["sum"](x, total, threads=threads)
    np.testing.assert_allclose(total[0], x.sum(), rtol=1e-12)


def main(size: int = 512) -> None:
    start = perf_counter()
    program = spmd.compile(SOURCE)
    check(program, size, size, size)
    first = perf_counter() - start
    x, total = np.random.default_rng(14).random(size * size * 16), np.zeros(1)
    run = seconds(program["sum"].bind(x, total))
    numpy = seconds(lambda: x.sum())
    name = SOURCE.stem
    report(name, first, run, numpy, write_stages(name, program.stages()))


if __name__ == "__main__":
    main()
