"""Heat flow and an acoustic wave in xDSL's `stencil` dialect, as Devito and PSyclone have it."""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from harness import blocks, report, seconds, write_stages
from numpy.typing import NDArray

import spmd

Floats = NDArray[np.float32]

# A step each of a field with a border; %c is the square of velocity times time over space.
SOURCE = """
!field = !stencil.field<[0,{border}]x[0,{border}]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @heat(%from: !field, %to: !field, %rate: f32) {{
  %u = stencil.load %from : !field -> !temp
  %next = stencil.apply(%a = %u : !temp, %r = %rate : f32) -> (!temp) {{
    %four = arith.constant 4.0 : f32
    %here = stencil.access %a[0, 0] : !temp
    %n = stencil.access %a[-1, 0] : !temp
    %s = stencil.access %a[1, 0] : !temp
    %w = stencil.access %a[0, -1] : !temp
    %e = stencil.access %a[0, 1] : !temp
    %ns = arith.addf %n, %s : f32
    %we = arith.addf %w, %e : f32
    %around = arith.addf %ns, %we : f32
    %same = arith.mulf %here, %four : f32
    %flow = arith.subf %around, %same : f32
    %change = arith.mulf %flow, %r : f32
    %new = arith.addf %here, %change : f32
    stencil.return %new : f32
  }}
  stencil.store %next to %to (<[1, 1], [{inner}, {inner}]>) : !temp to !field
  func.return
}}

func.func @wave(%before: !field, %now: !field, %after: !field, %c: f32) {{
  %p = stencil.load %before : !field -> !temp
  %u = stencil.load %now : !field -> !temp
  %next = stencil.apply(%old = %p : !temp, %a = %u : !temp, %k = %c : f32) -> (!temp) {{
    %two = arith.constant 2.0 : f32
    %four = arith.constant 4.0 : f32
    %last = stencil.access %old[0, 0] : !temp
    %here = stencil.access %a[0, 0] : !temp
    %n = stencil.access %a[-1, 0] : !temp
    %s = stencil.access %a[1, 0] : !temp
    %w = stencil.access %a[0, -1] : !temp
    %e = stencil.access %a[0, 1] : !temp
    %ns = arith.addf %n, %s : f32
    %we = arith.addf %w, %e : f32
    %around = arith.addf %ns, %we : f32
    %same = arith.mulf %here, %four : f32
    %laplacian = arith.subf %around, %same : f32
    %force = arith.mulf %laplacian, %k : f32
    %twice = arith.mulf %here, %two : f32
    %inertia = arith.subf %twice, %last : f32
    %new = arith.addf %inertia, %force : f32
    stencil.return %new : f32
  }}
  stencil.store %next to %after (<[1, 1], [{inner}, {inner}]>) : !temp to !field
  func.return
}}
"""


def compiled(size: int) -> spmd.Program:
    """Both functions for fields of `size` x `size`, and a border of one element."""
    return spmd.compile(SOURCE.format(border=size + 2, inner=size + 1))


def laplacian(field: Floats, rows: slice) -> NDArray[Any]:
    """Of the inner elements in some rows."""
    inner = field[rows.start + 1 : rows.stop + 1]
    above, below = field[rows], field[rows.start + 2 : rows.stop + 2]
    around = (above + below)[:, 1:-1] + (inner[:, :-2] + inner[:, 2:])
    return around - inner[:, 1:-1] * np.float32(4)


def heat(source: Floats, target: Floats, rate: float) -> None:
    for rows in blocks(source.shape[0] - 2, 16):
        at = np.s_[rows.start + 1 : rows.stop + 1, 1:-1]
        target[at] = source[at] + laplacian(source, rows) * np.float32(rate)


def wave(before: Floats, now: Floats, after: Floats, c: float) -> None:
    for rows in blocks(now.shape[0] - 2, 16):
        at = np.s_[rows.start + 1 : rows.stop + 1, 1:-1]
        inertia = now[at] * np.float32(2) - before[at]
        after[at] = inertia + laplacian(now, rows) * np.float32(c)


def check(program: spmd.Program, size: int, threads: int | None = None) -> None:
    """Raises `AssertionError` unless both give NumPy's bits."""
    rng = np.random.default_rng(10)
    a, b = (rng.random((size + 2, size + 2), np.float32) for _ in range(2))
    got, expected = b.copy(), b.copy()
    program["heat"](a, got, 0.1, threads=threads)
    heat(a, expected, 0.1)
    np.testing.assert_array_equal(got, expected)
    program["wave"](b, a, got, 0.1, threads=threads)
    wave(b, a, expected, 0.1)
    np.testing.assert_array_equal(got, expected)


def main(size: int = 2046) -> None:
    start = perf_counter()
    program = compiled(size)
    check(program, size)
    first = perf_counter() - start
    u = np.random.default_rng(10).random((size + 2, size + 2), np.float32)
    v = u.copy()
    run = seconds(program["heat"].bind(u, v, 0.1))
    numpy = seconds(lambda: heat(u, v, 0.1))
    name = Path(__file__).stem
    report(name, first, run, numpy, write_stages(name, program.stages()))


if __name__ == "__main__":
    main()
