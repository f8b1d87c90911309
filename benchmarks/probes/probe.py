"""
Kernels beside a better form of the same work, which must not be much faster.

A better form is another kernel, made by hand; the same kernel as scalar code, or in groups
of another shape; NumPy or C. Both sides run by turns in one process on the same arrays, and
both results are checked.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, cast

import numpy as np

import spmd
from benchmarks.suite.case import Array
from benchmarks.systems.system import aligned

HERE = Path(__file__).resolve().parent

BY_HAND, SCALAR = 1.2, 1.05
"""What is allowed of the time of a form made by hand, and of scalar code."""

FEWEST, BUDGET, AGAIN = 15, 0.3, 4
"""Runs of each side, seconds of them; up to so many times while it is close."""

Arguments = list[Any]
Data = Callable[[np.random.Generator], Arguments]
Size = int | tuple[int, ...]


class Verdict(NamedTuple):
    """What both sides took, in words, and their ratio."""

    ours: str
    better: str
    ratio: float


@dataclass(frozen=True)
class Form:
    """A kernel file, its options, and what of its launch differs from the probe's."""

    kernel: str
    size: Size | None = None
    group: Size | None = None
    view: Callable[..., Sequence[Any]] = lambda *arguments: arguments
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        words = [self.kernel, *(f"{k}={v}" for k, v in self.options.items())]
        return " ".join([*words, f"group {self.group}"] if self.group else words)

    def bind(self, probe: Probe, arguments: Arguments) -> Callable[[], object]:
        """What does the work of the probe on `arguments`."""
        text = (probe.folder / f"{self.kernel}.mlir").read_text()
        kernel = next(iter(spmd.compile(text, **self.options).kernels.values()))
        launches = [
            kernel.bind(
                *self.view(*arguments),
                *step,
                global_size=self.size or probe.size,
                group_size=self.group or probe.group,
                threads=1,
            )
            for step in probe.steps
        ]
        if len(launches) == 1:
            return launches[0]

        def run() -> None:
            for launch in launches:
                launch()

        return run


class AnyProbe(ABC):
    """What can be asked whether it holds."""

    name: str
    shows: str
    limit: float

    @abstractmethod
    def measure(self, budget: float = BUDGET) -> Verdict:
        """Measures both sides; raises `ArithmeticError` for a wrong result."""

    @property
    @abstractmethod
    def better_form(self) -> str:
        """The better form in words."""


@dataclass(frozen=True)
class Probe(AnyProbe):
    """
    A kernel and a better form of it, a kernel or a function that makes what does the work.

    `data` makes the arguments, and `expect` says from them what `arguments[out]` must be;
    without it the two sides are compared only, and with `same=False` not even that.
    `steps` are further scalar arguments, one launch for each. Arrays are restored before
    each run where `in_place`.
    """

    folder: Path
    name: str
    shows: str
    ours: Form
    better: Form | Callable[..., Callable[[], object]]
    size: Size
    data: Data
    expect: Callable[..., Any] | None = None
    out: int = 1
    limit: float = BY_HAND
    group: Size | None = None
    steps: Sequence[tuple[Any, ...]] = ((),)
    in_place: bool = False
    same: bool = True

    @property
    def better_form(self) -> str:
        form = self.better
        return str(form) if isinstance(form, Form) else form.__name__

    def measure(self, budget: float = BUDGET) -> Verdict:
        start = self.data(np.random.default_rng(0))
        arguments: Arguments = [
            aligned(cast(Array, a)) if isinstance(a, np.ndarray) else a for a in start
        ]

        def restore() -> None:
            for now, first in zip(arguments, start, strict=True):
                if isinstance(first, np.ndarray):
                    now[...] = first

        want = None if self.expect is None else self.expect(*start)
        sides: list[Callable[[], object]] = []
        for form in (self.ours, self.better):
            restore()
            bound = isinstance(form, Form)
            sides.append(form.bind(self, arguments) if bound else form(*arguments))
            sides[-1]()
            got = arguments[self.out]
            want = got.copy() if want is None else want
            if (self.same or form is self.ours) and not close(got, want):
                raise ArithmeticError(f"wrong result of {form}")
        ours, better = self._best(sides, restore if self.in_place else None, budget)
        return Verdict(f"{ours * 1e6:.1f} us", f"{better * 1e6:.1f} us", ours / better)

    def _best(
        self,
        sides: Sequence[Callable[[], object]],
        restore: Callable[[], None] | None,
        budget: float,
    ) -> tuple[float, float]:
        best = [float("inf")] * len(sides)
        for _ in range(AGAIN):
            end, runs = perf_counter() + budget, 0
            while runs < FEWEST or perf_counter() < end:
                for number, run in enumerate(sides):
                    if restore is not None:
                        restore()
                    start = perf_counter()
                    run()
                    best[number] = min(best[number], perf_counter() - start)
                runs += 1
            if not self.limit < best[0] / best[1] < 1.2 * self.limit:
                break
        return best[0], best[1]


@dataclass(frozen=True)
class Graph(AnyProbe):
    """
    A graph of branches whose uniform ones must be kept, and that is right at all widths.

    `inputs` decide the uniform branches: bit k that of block k.
    """

    folder: Path
    name: str
    shows: str
    must_keep: int
    inputs: tuple[int, ...] = (0, 0x155, 0x3FF)
    limit: float = 1.0

    @property
    def better_form(self) -> str:
        return f"{self.must_keep} branches kept"

    def measure(self, budget: float = BUDGET) -> Verdict:
        text = (self.folder / f"{self.name}.mlir").read_text()
        blocks, n = text.count("memref.store"), 150
        taken = np.random.default_rng(0).integers(0, 2, (blocks, n)).astype(np.int32)
        want: Array | None = None
        scalar: dict[str, Any] = {"vectorize": False}
        for options in (scalar, *(dict[str, Any](width=1 << k) for k in range(7))):
            kernel = spmd.compile(text, **options).kernels["k"]
            counts = np.zeros((len(self.inputs), blocks, n), np.float32)
            for bits, count in zip(self.inputs, counts, strict=True):
                kernel(bits, count, taken, global_size=n)
            want = counts if want is None else want
            if not np.array_equal(counts, want):
                raise ArithmeticError(f"{options} differs from scalar code")
        code = spmd.compile(text, width=8).ir("vectorize").split("@k.full", 1)[1]
        conditions = re.findall(r"scf\.if (%\w+)", code)
        kept = sum(
            not re.search(rf"{condition} = vector\.reduction", code)
            for condition in conditions
        )
        enough = kept >= self.must_keep
        ratio = 1.0 if enough else self.must_keep / max(kept, 0.5)
        return Verdict(f"{kept} kept", f"{self.must_keep} kept", ratio)


def close(got: Array, want: Any) -> bool:
    """Whether results are equal, or nearly so for floats."""
    tolerance = 1e-4 if got.dtype.kind == "f" else 0
    return np.allclose(got, want, tolerance, tolerance)


_PROBES: dict[str, AnyProbe] = {}


def _folder() -> Path:
    """The folder of the file that lists a probe."""
    frame = inspect.currentframe()  # `inspect.stack` reads the source of all of them
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.name == "probes.py":
            return path.parent
        frame = frame.f_back
    raise AssertionError("probes are listed in files called probes.py")


def probe(
    name: str,
    shows: str,
    better: str | Form | Callable[..., Callable[[], object]],
    size: Size,
    data: Data,
    expect: Callable[..., Any] | None = None,
    *,
    ours: str | Form = "",
    **rest: Any,
) -> None:
    """Lists a probe; a plain name is that of a kernel file."""
    ours = ours or name
    left = Form(ours) if isinstance(ours, str) else ours
    right = Form(better) if isinstance(better, str) else better
    listed = Probe(_folder(), name, shows, left, right, size, data, expect, **rest)
    _PROBES[name] = listed


def scalar(
    name: str,
    shows: str,
    size: Size,
    data: Data,
    expect: Callable[..., Any] | None = None,
    *,
    kernel: str = "",
    **rest: Any,
) -> None:
    """Lists a kernel that must not be slower than as scalar code."""
    better = Form(kernel or name, options={"vectorize": False})
    ours = kernel or name
    probe(name, shows, better, size, data, expect, ours=ours, limit=SCALAR, **rest)


def graph(name: str, shows: str, must_keep: int, **rest: Any) -> None:
    """Lists a graph of branches."""
    _PROBES[name] = Graph(_folder(), name, shows, must_keep, **rest)


def probes() -> dict[str, AnyProbe]:
    """All probes by name, in the order of the folders."""
    for path in sorted(HERE.glob("*/probes.py")):
        import_module(f"benchmarks.probes.{path.parent.name}.probes")
    return dict(_PROBES)
