"""
What the examples have in common: compile a kernel, check it against NumPy, time both.

Each script defines one `Example`; the benchmarks and the tests load it from there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import spmd

OUT = Path(
    os.environ.get("SPMD_EXAMPLES_OUT", Path(__file__).resolve().parent.parent / "out")
)
"""Where the IR of each stage is written."""

HEADER = (
    f"{'example':<18} {'compile':>10} {'run':>10} {'NumPy':>10} {'ratio':>7}"
    "  IR of each stage"
)


@dataclass(frozen=True)
class Launch:
    """The arguments of one launch, which of them the kernel writes, and its size."""

    arguments: tuple[Any, ...]
    outputs: tuple[int, ...]
    global_size: int | tuple[int, ...]

    def copy(self) -> tuple[Any, ...]:
        """The arguments with outputs of their own."""
        return tuple(
            argument.copy() if i in self.outputs else argument
            for i, argument in enumerate(self.arguments)
        )


@dataclass(frozen=True)
class Example:
    """
    A kernel, what to launch it on, and the same computation with NumPy.

    `launch` makes a launch of a given size; without one, of the real size. `with_numpy`
    takes the arguments of the kernel and writes the same outputs. `small_sizes` are
    sizes for tests. Results must be equal to within `rtol` and `atol`; zeros ask for
    the same bits. `one_group` is the size of the smallest launch that is a whole group.
    """

    script: str
    kernel: str
    launch: Callable[..., Launch]
    with_numpy: Callable[..., None]
    small_sizes: Sequence[tuple[int, ...]]
    rtol: float = 0.0
    atol: float = 0.0
    module: Callable[[], ModuleOp] | None = None
    one_group: tuple[int, ...] = (256,)

    @property
    def name(self) -> str:
        """The name of the script, `01_saxpy`."""
        return Path(self.script).stem

    @property
    def source(self) -> Path | ModuleOp:
        """What to compile: a module built in Python, or the file beside the script."""
        if self.module is not None:
            return self.module()
        return Path(self.script).with_suffix(".mlir")

    def compile(self, **options: Any) -> spmd.Kernel:
        """The kernel, compiled with `options` of `spmd.compile`."""
        return spmd.compile(self.source, **options).kernels[self.kernel]

    def expected(self, launch: Launch) -> tuple[Any, ...]:
        """The arguments of `launch` after NumPy has done the work of the kernel."""
        arguments = launch.copy()
        self.with_numpy(*arguments)
        return arguments

    def check(
        self, launch: Launch, got: Sequence[Any], expected: Sequence[Any]
    ) -> None:
        """Raises `AssertionError` unless all outputs are as expected."""
        for i in launch.outputs:
            np.testing.assert_allclose(
                got[i],
                expected[i],
                self.rtol,
                self.atol,
                err_msg=f"{self.name}, argument {i}",
            )

    def main(self) -> None:
        """Run the example on its real size and print one row of the table."""
        launch = self.launch()
        expected = self.expected(launch)
        arguments = launch.copy()

        start = perf_counter()
        kernel = self.compile()
        kernel(*arguments, global_size=launch.global_size)
        first = perf_counter() - start
        self.check(launch, arguments, expected)

        run = seconds(kernel.bind(*arguments, global_size=launch.global_size))
        numpy = seconds(lambda: self.with_numpy(*arguments))
        folder = write_stages(self.name, kernel.stages())
        report(self.name, max(first - run, 0.0), run, numpy, folder)


def blocks(count: int, size: int) -> Iterator[slice]:
    """Slices of at most `size` that cover `range(count)`: work that stays in cache."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def seconds(call: Callable[[], object], *, budget: float = 1.0) -> float:
    """The median time of a call: at least three, more while the budget lasts."""
    times: list[float] = []
    while len(times) < 3 or (sum(times) < budget and len(times) < 50):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return median(times)


def write_stages(name: str, stages: Iterator[tuple[str, str]]) -> Path:
    """Write the IR after each pass to `out/<name>/NN-pass`; returns the folder."""
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for i, (stage, text) in enumerate(stages):
        suffix = "ll" if stage == "spmd-llvm" else "mlir"
        (folder / f"{i:02}-{stage}.{suffix}").write_text(text)
    return folder


def in_words(duration: float) -> str:
    """A duration with a unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if duration >= scale:
            return f"{duration / scale:.3g} {unit}"
    return f"{duration / 1e-9:.3g} ns"


def report(name: str, compiled: float, run: float, numpy: float, folder: Path) -> None:
    """Print a row of the table, under a header unless another script printed it."""
    if "SPMD_EXAMPLES_HEADER" not in os.environ:
        print(HEADER)
    columns = (
        in_words(compiled),
        in_words(run),
        in_words(numpy),
        f"{numpy / run:.2f}x",
    )
    widths = (10, 10, 10, 7)
    row = " ".join(f"{c:>{w}}" for c, w in zip(columns, widths, strict=True))
    print(f"{name:<18} {row}  {os.path.relpath(folder)}/", flush=True)
    sys.stdout.flush()
