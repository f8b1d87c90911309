"""Interleaved accesses, which must not become slow gathers and scatters."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

import numpy as np

from benchmarks.probes.data import N, arguments, integers, uniform, zeros
from benchmarks.probes.probe import scalar
from benchmarks.suite.case import Array

scalar(
    "aos",
    "structures of four",
    N,
    arguments(uniform(N, 4), zeros(N, 4), 2.0),
    lambda x, y, a: x * np.where([0, 1, 0, 1], np.roll(x, 1, 1), np.float32(a)),
)
scalar(
    "cpx",
    "complex numbers",
    N,
    arguments(uniform(N, 2), zeros(N, 2)),
    lambda x, y: (x.view(np.complex64) ** 2).view(np.float32),
)
scalar(
    "norm4",
    "three of four loaded",
    N,
    arguments(uniform(N, 4), zeros(N)),
    lambda x, y: (x[:, :3] ** 2).sum(1),
)


def _loaded(stride: int) -> None:
    def expect(x: Array, y: Array) -> Array:
        return x[::stride]

    data = arguments(uniform(N * stride), zeros(N))
    scalar(f"st{stride}", f"loads of stride {stride}", N, data, expect)


def _stored(stride: int) -> None:
    def expect(x: Array, y: Array) -> Array:
        return np.where(np.arange(y.size) % stride, 0, np.repeat(x, stride))

    data = arguments(uniform(N), zeros(N * stride))
    scalar(f"sst{stride}", f"stores of stride {stride}", N, data, expect)


for _stride in (2, 3, 4):
    _loaded(_stride)
    _stored(_stride)
scalar(
    "mst2",
    "masked loads of stride 2",
    N,
    arguments(uniform(N * 2), uniform(N, low=-1)),
    lambda x, y: np.where(y > 0, x[::2], y),
    in_place=True,
)
scalar(
    "g3",
    "three neighbours gathered",
    N,
    arguments(uniform(4096 * 4), integers(0, 4096, N), zeros(N), 0),
    lambda x, at, y, n: x[4 * at] + x[4 * at + 1] + x[4 * at + 2],
    out=2,
)
