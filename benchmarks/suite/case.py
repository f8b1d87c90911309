"""
What a benchmark is: its data, its launches, its plain loops, and what its results must be.

A `Case` is made anew in every process that measures it. The kernel stands beside the file
that makes it, once for each language: `NAME.mlir`, `NAME.cl` and `NAME.c`; the plain loops
in Python, which Numba compiles, stand in the file itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Results = Callable[[str], Array]
"""From the name of an array to what it holds after a run."""

SUITE = Path(__file__).resolve().parent


class Launch(NamedTuple):
    """One launch of a kernel; an argument is the name of an array, or a number."""

    kernel: str
    global_size: tuple[int, ...]
    group_size: tuple[int, ...]
    arguments: tuple[str | np.generic, ...]


@dataclass(frozen=True)
class Case:
    """
    One benchmark with its data.

    `arrays` are what every array holds at first. `launches` run the kernels, in order;
    `loops` is the same work as plain loops in Python, called with `call`, and the C
    function of the same name too: names of arrays, and integers. `error` says how far
    results are from right, which is right up to `tolerance`. `bytes` is the least memory
    traffic of a run, and `flops` its useful floating-point operations, zero where nobody
    counts them. `in_place` cases change what they read, so every run starts from
    `arrays`. `types` are types in the MLIR to be replaced, `defines` macros for OpenCL C
    and C; `numpy` is NumPy's best form, where that is a fair measure.
    """

    arrays: Mapping[str, Array]
    launches: tuple[Launch, ...]
    loops: Callable[..., None]
    call: tuple[str | int, ...]
    error: Callable[[Results], float]
    tolerance: float = 0.0
    bytes: float = 0.0
    flops: float = 0.0
    in_place: bool = False
    fast_math: bool = True
    mlir: str = ""
    types: Mapping[str, str] = field(default_factory=dict[str, str])
    defines: Mapping[str, str | int] = field(default_factory=dict[str, "str | int"])
    numpy: Callable[[Mapping[str, Array]], object] | None = None

    @property
    def source(self) -> Path:
        """The file that makes the case, without its suffix."""
        return Path(inspect.getfile(self.loops)).with_suffix("")

    def mlir_text(self) -> str:
        """The kernels in MLIR, with the types and the floating-point rules of the case."""
        stem = self.mlir or self.source.name
        text = self.source.with_name(f"{stem}.mlir").read_text()
        for old, new in self.types.items():
            text = text.replace(old, new)
        return text if self.fast_math else text.replace(" fastmath<fast>", "")


@dataclass(frozen=True)
class Benchmark:
    """How to make a `Case` of its real size, and a small one for the tests."""

    name: str
    group: str
    make: Callable[..., Case]
    fixed: Mapping[str, Any]
    small: Mapping[str, Any]

    def case(self, *, small: bool = False) -> Case:
        """The case with its data; `small` ones run in milliseconds."""
        return self.make(**self.fixed, **(self.small if small else {}))


_BENCHMARKS: dict[str, Benchmark] = {}


def benchmark(
    name: str = "", *, small: Mapping[str, Any], **fixed: Any
) -> Callable[[Callable[..., Case]], Callable[..., Case]]:
    """Lists what makes a case, called with `fixed`, under `name` or its own name."""

    def register(make: Callable[..., Case]) -> Callable[..., Case]:
        listed = name or make.__name__
        group = Path(inspect.getfile(make)).parent.parent.name
        _BENCHMARKS[listed] = Benchmark(listed, group, make, fixed, small)
        return make

    return register


def benchmarks() -> dict[str, Benchmark]:
    """All benchmarks by name, in the order of the folders."""
    for path in sorted(SUITE.glob("*/*/*.py")):
        import_module(".".join(("benchmarks.suite", *path.parts[-3:-1], path.stem)))
    return dict(_BENCHMARKS)
