"""The systems that are measured side by side, by name."""

from __future__ import annotations

from benchmarks.systems.c import C
from benchmarks.systems.opencl import Intel, Pocl
from benchmarks.systems.python import Numba, Numpy
from benchmarks.systems.spmd_system import Spmd, without
from benchmarks.systems.system import System

PEERS: dict[str, type[System]] = {
    "intel": Intel,
    "pocl": Pocl,
    "c": C,
    "numba": Numba,
    "numpy": Numpy,
}

WITHOUT: dict[str, type[System]] = {
    "scalar": without(vectorize=False),
    "continuations": without(strategy="continuations"),
    "any-size": without(specialize=False),
    "width-4": without(width=4),
    "width-8": without(width=8),
    "width-16": without(width=16),
    "no-skip": without(without=("mask-divergence.skip",)),
    "linear": without(without=("mask-divergence.keep_uniform",)),
    "no-clip": without(without=("clip-work-item-loops",)),
    "all-barriers": without(without=("drop-redundant-barriers",)),
    "checked": without(checked=True),
}
"""This project with single techniques left out, or with another choice."""

SYSTEMS: dict[str, type[System]] = {"spmd": Spmd, **PEERS, **WITHOUT}
