"""Which dimension becomes lanes, and groups of several shapes."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

import numpy as np

from benchmarks.probes.data import N, arguments, counters, uniform, zeros
from benchmarks.probes.in_c import in_c
from benchmarks.probes.probe import Form, probe
from benchmarks.suite.case import Array


def flat(x: Array, y: Array) -> tuple[Array, Array]:
    """Both arrays as one dimension."""
    return x.reshape(-1), y.reshape(-1)


FLAT = Form("flat", size=4 * N, view=flat)
SQUARE = arguments(uniform(512, 512), zeros(512, 512))

probe(
    "vec4",
    "arrays of vectors",
    FLAT,
    N,
    arguments(uniform(N, 4), zeros(N, 4)),
    lambda x, y: x * x,
)
probe(
    "vec4_load",
    "vectors of a work-item",
    FLAT,
    N,
    arguments(uniform(4 * N), zeros(4 * N)),
    lambda x, y: x * x,
)
probe("dim", "y is contiguous", "dim_x", (512, 512), SQUARE, lambda x, y: x * x)
probe(
    "shortdim",
    "groups of 4x64 that are contiguous as a whole",
    Form("flat", size=N),
    (4, N // 4),
    arguments(uniform(N), zeros(N)),
    lambda x, y: x * x,
)
probe(
    "short4",
    "groups of 4x64 on rows of 4",
    Form("short4_flat", size=4 * N, view=flat),
    (4, N),
    arguments(uniform(N, 4), zeros(N, 4)),
    lambda x, y: np.sin(np.exp(x)),
)
probe(
    "y1d",
    "groups of 1x256",
    Form("y1d_x", size=N),
    (1, N),
    arguments(uniform(1, N), zeros(N)),
    lambda x, y: np.exp(x[0]),
)
probe(
    "transpose_tiles",
    "accesses to tiles that would fit registers",
    in_c("dimensions/transpose", lambda a, out: (a, out, len(a))),
    (1024, 1024),
    arguments(uniform(1024, 1024), zeros(1024, 1024)),
    lambda a, out: a.T,
    ours="transpose",
)
probe(
    "stencil",
    "groups of 16x16, which fill one register",
    Form("stencil", group=(64, 4)),
    (1024, 1024),
    arguments(zeros(1 << 20), uniform(1 << 20), 1024),
    out=0,
    group=(16, 16),
)
probe(
    "mandelbrot_groups",
    "groups of 16x16, which fill one register",
    Form("mandelbrot", group=(64, 4)),
    (256, 256),
    arguments(counters(1 << 16), 256, 256, 256),
    out=0,
    group=(16, 16),
    ours="mandelbrot",
)
for x, y in ((4, 64), (8, 8), (256, 1)):
    probe(
        f"stencil_{x}x{y}",
        "groups of another shape",
        Form("stencil", group=(64, 4)),
        (1024, 1024),
        arguments(zeros(1 << 20), uniform(1 << 20), 1024),
        out=0,
        group=(x, y),
        ours="stencil",
    )
    probe(
        f"mandelbrot_{x}x{y}",
        "groups of another shape",
        Form("mandelbrot", group=(64, 4)),
        (256, 256),
        arguments(counters(1 << 16), 256, 256, 256),
        out=0,
        group=(x, y),
        ours="mandelbrot",
    )
