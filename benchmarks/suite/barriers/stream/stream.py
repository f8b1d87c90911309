"""BabelStream's five kernels, and four of them with a barrier before the store."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, Results, benchmark
from benchmarks.suite.plain import prange

VALUES = {"a": 0.1, "b": 0.2, "c": 0.7}
"""No kernel leaves its arrays as they are."""

SMALL = {"n": 2048}


def copy(a: Array, b: Array, c: Array, n: int) -> None:
    """C = a."""
    for i in prange(n):
        c[i] = a[i]


def mul(a: Array, b: Array, c: Array, n: int) -> None:
    """B = 0.4 c."""
    for i in prange(n):
        b[i] = 0.4 * c[i]


def add(a: Array, b: Array, c: Array, n: int) -> None:
    """C = a + b."""
    for i in prange(n):
        c[i] = a[i] + b[i]


def triad(a: Array, b: Array, c: Array, n: int) -> None:
    """A = b + 0.4 c."""
    for i in prange(n):
        a[i] = b[i] + 0.4 * c[i]


def dot_product(a: Array, b: Array, partial: Array, n: int) -> None:
    """The whole sum in one element."""
    total = 0.0
    for i in prange(n):
        total += a[i] * b[i]
    partial[0] = total


KERNELS = {
    # Plain loops, what they write, and how many arrays they touch; flops of an element.
    "copy": (copy, "c", 2, 0, VALUES["a"]),
    "mul": (mul, "b", 2, 1, 0.4 * VALUES["c"]),
    "add": (add, "c", 3, 1, VALUES["a"] + VALUES["b"]),
    "triad": (triad, "a", 3, 2, VALUES["b"] + 0.4 * VALUES["c"]),
}


def elementwise(n: int = 1 << 25, *, kernel: str, barrier: bool) -> Case:
    """Arrays of `n` numbers, beyond every cache."""
    loops, written, streams, flops, want = KERNELS[kernel]

    def error(results: Results) -> float:
        return float(np.max(np.abs(results(written) - want)))

    return Case(
        arrays={name: np.full(n, value) for name, value in VALUES.items()},
        launches=(Launch(kernel, (n,), (256,), ("a", "b", "c")),),
        loops=loops,
        call=("a", "b", "c", n),
        error=error,
        tolerance=1e-12,
        bytes=8.0 * streams * n,
        flops=float(flops * n),
        mlir="stream_barrier" if barrier else "stream",
        defines={"BARRIER": int(barrier)},
    )


for _kernel in KERNELS:
    for _barrier in (False, True):
        benchmark(
            f"stream_{_kernel}{'_barrier' if _barrier else ''}",
            small=SMALL,
            kernel=_kernel,
            barrier=_barrier,
        )(elementwise)


def _dot(arrays: Mapping[str, Array]) -> object:
    return arrays["a"] @ arrays["b"]


@benchmark("stream_dot", small=SMALL)
def dot(n: int = 1 << 25) -> Case:
    """64 groups walk through the arrays, and each has a tree at the end."""
    groups = 64
    arrays = {name: np.full(n, VALUES[name]) for name in ("a", "b")}
    want = n * VALUES["a"] * VALUES["b"]
    arguments = ("a", "b", "c", np.uint64(n))
    return Case(
        arrays={**arrays, "c": np.zeros(groups)},
        launches=(Launch("dot_product", (groups * 256,), (256,), arguments),),
        loops=dot_product,
        call=("a", "b", "c", n),
        error=lambda results: abs(float(results("c").sum()) / want - 1),
        tolerance=1e-9,
        bytes=16.0 * n,
        flops=2.0 * n,
        numpy=_dot,
    )
