"""
Runs a kernel in every way there is, and compares with what the language says.

The expectation is level 0 in the reference interpreter. Against it stand the interpreter
after every pass, and native code for several widths and numbers of threads. Neither the
kernel nor its arguments know the width.

```python
KERNEL = "spmd.kernel @double(%x: memref<?xf32>) {...}"

def arguments(make: Maker) -> list[Any]:
    return [make.random("f32", make.n)]

def test_my_pass_keeps_the_meaning():
    check_passes(KERNEL, arguments, LINES, SpmdToLoopsPass(), MyPass())
```
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import spmd
from spmd.analysis.legality.verification import verify_legality
from spmd.dialects.spmd import KernelOp
from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.targets import HOST, TARGETS, why_not_here
from spmd.reference import run_kernel
from spmd.runtime.errors import SourceText
from spmd.runtime.options import Strategy, Width
from spmd.runtime.parsing import make_context, parse
from tests.execution.harness.comparing import EXACT, Array, Tolerance, assert_same
from tests.execution.harness.guarded import guarded
from tests.execution.harness.running import Runs, content

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
"""The folder of the kernels that several tests run."""

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
DIGITS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
"""Bits of a float's fraction."""


@dataclass(frozen=True)
class Launch:
    """The range of one launch, x first."""

    global_size: tuple[int, ...]
    group_size: tuple[int, ...]

    def __str__(self) -> str:
        size = "x".join(map(str, self.global_size))
        return f"{size}-by-{'x'.join(map(str, self.group_size))}"


LINES = tuple(
    Launch((n,), (e,)) for n, e in ((1, 1), (3, 8), (64, 16), (100, 32), (129, 64))
)
"""One dimension: whole groups, tails, groups below any width, and one work-item."""

PLANES = tuple(
    Launch(n, e) for n, e in (((16, 8), (8, 4)), ((19, 7), (8, 3)), ((5, 9), (16, 2)))
)
BOXES = tuple(Launch(n, e) for n, e in (((8, 4, 4), (4, 2, 2)), ((9, 5, 3), (4, 2, 2))))


class Maker:
    """Makes arguments for a launch; the same every time."""

    def __init__(self, launch: Launch, seed: int = 0):
        self.launch = launch
        self.rng = np.random.default_rng(seed)

    @property
    def n(self) -> int:
        """Work-items of the range."""
        return prod(self.launch.global_size)

    @property
    def size(self) -> tuple[int, ...]:
        """The range, as the shape of a row-major array: x last."""
        return self.launch.global_size[::-1]

    @property
    def groups(self) -> int:
        """Work-groups of the range."""
        pairs = zip(self.launch.global_size, self.launch.group_size, strict=True)
        return prod(-(-n // e) for n, e in pairs)

    @property
    def group_items(self) -> int:
        """Work-items of a full group."""
        return prod(self.launch.group_size)

    def zeros(self, dtype: str, *shape: int) -> Array:
        return np.zeros(shape, DTYPES[dtype])

    def range(self, dtype: str, *shape: int) -> Array:
        return np.arange(prod(shape)).reshape(shape).astype(DTYPES[dtype])

    def random(self, dtype: str, *shape: int) -> Array:
        """All integers of the type; floats from -4 to 4."""
        kind = DTYPES[dtype]
        if dtype == "i1":
            return self.rng.integers(0, 2, shape).astype(kind)
        if dtype[0] == "i":
            info = np.iinfo(kind)
            return self.rng.integers(info.min, info.max, shape, kind, endpoint=True)
        return self.rng.uniform(-4, 4, shape).astype(kind)

    def bits(self, dtype: str, *shape: int) -> Array:
        """As `random`, but floats of all bit patterns, the unusual ones often."""
        if dtype[0] == "i":
            return self.random(dtype, *shape)
        kind = np.dtype(DTYPES[dtype])
        size, digits = 8 * kind.itemsize, DIGITS[dtype]
        fraction = self.rng.integers(0, 1 << digits, shape, np.uint64)
        exponents = (1 << (size - 1 - digits)) - 1
        exponent = self.rng.integers(0, exponents, shape, np.uint64, endpoint=True)
        unusual = self.rng.integers(0, 4, shape)
        exponent[unusual == 0] = 0  # zeros and subnormal numbers
        exponent[unusual == 1] = exponents  # infinities and NaNs
        fraction[self.rng.integers(0, 4, shape) == 0] = 0
        # The interpreter computes in f64: a signalling NaN would become a quiet one.
        nan = (exponent == exponents) & (fraction != 0)
        fraction[nan] |= np.uint64(1 << (digits - 1))
        sign = self.rng.integers(0, 2, shape, np.uint64) << np.uint64(size - 1)
        patterns = sign | exponent << np.uint64(digits) | fraction
        return patterns.astype(f"u{kind.itemsize}").view(kind)

    def integers(self, dtype: str, low: int, high: int, *shape: int) -> Array:
        """Whole numbers from `low` to below `high`, also as floats."""
        return self.rng.integers(low, high, shape).astype(DTYPES[dtype])

    def permutation(self, dtype: str, n: int) -> Array:
        return self.rng.permutation(n).astype(DTYPES[dtype])


Arguments = Callable[[Maker], list[Any]]


# What tests share is kept for those that stand together, not for a whole run.


@lru_cache(maxsize=64)
def parsed(source: str) -> ModuleOp:
    """The module that `source` is the text of; not to be changed."""
    return parse(SourceText("kernel.mlir", source))


def kernel_name(module: ModuleOp) -> str:
    """The name of the first kernel."""
    return next(op.sym_name.data for op in module.ops if isinstance(op, KernelOp))


def make(arguments: Arguments, launch: Launch) -> list[Any]:
    return arguments(Maker(launch, zlib.crc32(str(launch).encode())))


@lru_cache(maxsize=64)
def _level_0(source: str) -> Runs:
    return Runs(parsed(source))


@lru_cache(maxsize=256)
def _expected(source: str, arguments: Arguments, launch: Launch) -> list[Any]:
    args = make(arguments, launch)
    run = _level_0(source)
    run(kernel_name(run.module), args, launch.global_size, launch.group_size)
    return args


def expected(source: str, arguments: Arguments, launch: Launch) -> list[Any]:
    """The arguments after a run of the kernel at level 0."""
    return copy.deepcopy(_expected(source, arguments, launch))


def run_module(module: ModuleOp, name: str, args: list[Any], launch: Launch) -> None:
    """
    Run a kernel in the interpreter, at whatever level the module is.

    Work-items, and iterations of work-item loops, take turns in random order.
    """
    Runs(module, "random")(name, args, launch.global_size, launch.group_size)


# --- how to run ---------------------------------------------------------------------


SCHEDULES = (("reversed", 0), ("random", 1), ("random", 2))
"""Orders in which work-items take turns, and the seeds of these."""


def check_schedules(
    source: str,
    arguments: Arguments,
    launch: Launch,
    tolerance: Tolerance = EXACT,
    schedules: Sequence[tuple[str, int]] = SCHEDULES,
) -> None:
    """The order in which work-items take turns must not matter."""
    module = parsed(source)
    want = expected(source, arguments, launch)
    for schedule, seed in schedules:
        args = make(arguments, launch)
        run_kernel(
            module,
            kernel_name(module),
            args,
            global_size=launch.global_size,
            group_size=launch.group_size,
            schedule=schedule,
            seed=seed,
        )
        assert_same(args, want, tolerance, f"level 0 {schedule}, {launch}")


def check_passes(
    source: str,
    arguments: Arguments,
    launches: Iterable[Launch],
    *passes: ModulePass,
    tolerance: Tolerance = EXACT,
    skip: Iterable[str] = (),
    only: Callable[[int], bool] = lambda _: True,
) -> ModuleOp:
    """
    Run the interpreter after every pass that changes something; sequences are taken apart.

    `skip` names passes whose output is no level of its own, `only` says of the number of a
    pass whether its output is looked at: that of the last one always is. Returns the final
    module.
    """
    module = parsed(source).clone()
    name = kernel_name(module)
    context = make_context()
    verified: list[Any] = []
    tried: list[Any] = []
    steps = flatten(passes)
    for number, step in enumerate(steps, 1):
        step.apply(context, module)
        if number < len(steps) and not only(number):
            continue
        now = content(module)
        if now != verified:
            module.verify()
            verify_legality(module)
            verified = now
        if step.name in skip or now == tried:
            continue
        tried = now
        run = Runs(module, "random")
        for launch in launches:
            args = make(arguments, launch)
            try:
                run(name, args, launch.global_size, launch.group_size)
                want = expected(source, arguments, launch)
                assert_same(args, want, tolerance, f"after {step.name}, {launch}")
            except (ValueError, AssertionError) as error:
                error.add_note(f"after {step.name}, {launch}:\n{module}")
                raise
    return module


@cache
def _targets() -> tuple[str, ...]:
    return (HOST, *(name for name in TARGETS if why_not_here(name) is None))


def target_for(text: str) -> str:
    """One of the targets whose code runs on this machine; a text has the same one always."""
    return _targets()[zlib.crc32(text.encode()) % len(_targets())]


@lru_cache(maxsize=8)
def _compiled(source: str, **options: Any) -> spmd.Program:
    return spmd.compile(parsed(source), **options)


def check_native(
    source: str,
    arguments: Arguments,
    launch: Launch,
    *,
    threads: int = 1,
    tolerance: Tolerance = EXACT,
    **options: Any,
) -> None:
    """
    Compile to native code, with `options` of `spmd.compile`, and run it; arrays end at the end of
    a page, so that code that reads beyond crashes.

    What passes make depends on the target. So kernels and options are for one each of those
    whose code runs on this machine, unless `options` name one.
    """
    options = {"target": target_for(f"{options} {source}"), **options}
    kernel = _compiled(source, **options)[kernel_name(parsed(source))]
    want = expected(source, arguments, launch)
    args = guarded(make(arguments, launch))
    kernel(
        *args,
        global_size=launch.global_size,
        group_size=launch.group_size,
        threads=threads,
    )
    chosen = "".join(f", {name}={value}" for name, value in options.items())
    assert_same(args, want, tolerance, f"native, {threads} threads, {launch}{chosen}")


def check_native_launches(
    source: str,
    arguments: Arguments,
    launches: Sequence[Launch],
    *,
    width: Width = "auto",
    strategy: Strategy = "auto",
    vectorize: bool = True,
    tolerance: Tolerance = EXACT,
) -> None:
    """
    All launches with one native code for any size, and at times one with code for its size.

    Of three kernels one meets a launch with its own code, all together meet all launches.
    """
    runs = [(launch, False) for launch in launches]
    number = zlib.crc32(f"{width} {strategy} {vectorize} {source}".encode())
    if number % 3 == 0:
        runs.append((launches[number // 3 % len(launches)], True))
    for launch, specialize in runs:
        check_native(
            source,
            arguments,
            launch,
            width=width,
            strategy=strategy,
            vectorize=vectorize,
            specialize=specialize,
            tolerance=tolerance,
        )
