"""What a kernel of this folder is: the kernel, its arguments, and what must come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import spmd

RANDOM = np.random.default_rng


@dataclass(frozen=True)
class Case:
    """
    One kernel in Python, and one launch of it.

    `arguments[out]` must be `want` afterwards, within `tolerance`. Arrays are restored
    before each run where `in_place`.
    """

    kernel: spmd.PythonKernel
    arguments: tuple[Any, ...]
    out: int
    want: np.ndarray[Any, Any]
    global_size: int | tuple[int, ...]
    in_place: bool = False
    tolerance: float = 1e-4


Maker = Callable[[int], Case]
"""Makes a case whose sizes are divided by a number."""

_MAKERS: dict[str, Maker] = {}


def case(make: Maker) -> Maker:
    """Lists what makes a case under its name."""
    _MAKERS[make.__name__] = make
    return make


def makers() -> dict[str, Maker]:
    """What makes the cases, by name, in the order of the files."""
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        import_module(f"benchmarks.outside.{path.stem}")
    return dict(_MAKERS)
