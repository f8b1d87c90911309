"""
The kernels of the tutorials of Triton and Numba, beside Numba on plain loops, and NumPy.

```sh
python -m benchmarks.tutorials            # all of them, one thread
python -m benchmarks.tutorials life       # some
```

All run in turns in one process, on one thread, in every order; what is shown is the processor
time of the median run of ours, which has Python's rules for floating-point numbers, and how many
times that the others take: Numba with the same rules; Numba with relaxed ones (`fastmath=True`)
beside ours with Python's, and beside ours with relaxed ones; NumPy. Results are checked against
NumPy.
"""

# pyright: basic

import itertools
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from typing import Any

# NumPy reads it when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from xdsl.dialects.utils import FastMathFlag

import spmd
from benchmarks.tutorials import kernels, loops

RUNS, SECONDS = 100, 8.0

RELAXED = frozenset(FastMathFlag) - {FastMathFlag.NO_NANS, FastMathFlag.NO_INFS}
"""What `fastmath=True` allows."""


@dataclass(frozen=True)
class Case:
    """The arguments of one kernel, which of them is the result, and NumPy's way."""

    arguments: tuple[Any, ...]
    out: int
    numpy: Callable[..., Any]
    """The result as a new array."""
    sizes: dict[str, Any]


def _random(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).random(shape, np.float32)


def _softmax(x: Any, out: Any) -> Any:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _layer_norm(x: Any, scale: Any, shift: Any, out: Any) -> Any:
    away = x - x.mean(1, keepdims=True)
    return away / np.sqrt((away**2).mean(1, keepdims=True) + 1e-5) * scale + shift


def _life(now: Any, after: Any) -> Any:
    alive = sum(
        now[1 + dy : now.shape[0] - 1 + dy, 1 + dx : now.shape[1] - 1 + dx]
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
    )
    result = np.zeros_like(now)
    result[1:-1, 1:-1] = (alive == 3) | ((alive == 4) & (now[1:-1, 1:-1] == 1))
    return result


def _histogram(x: Any, low: float, high: float, counts: Any, bins: int) -> Any:
    return np.histogram(x, bins, (low, high))[0]


def cases(scale: int = 1) -> dict[str, Case]:
    """The cases by name; `scale` divides their sizes."""
    n, rows, columns, side = (1 << 22) // scale, 1024 // scale, 1000, 512 // scale
    flat, wide = _random(n), _random(rows, columns)
    a, b = _random(side, side), _random(side, side)
    weights = _random(2, columns)
    board = (_random(4 * side, 4 * side) < 0.3).astype(np.uint8)
    histogram = Case(
        (flat, 0.0, 1.0, np.zeros(kernels.BINS, np.int64), kernels.BINS),
        3,
        _histogram,
        {"global_size": 16, "group_size": 16},
    )
    by_row = {"global_size": (64, rows)}
    square = {"global_size": (side, side)}
    return {
        "vector_add": Case(
            (flat, flat + 1, np.empty_like(flat)),
            2,
            lambda x, y, out: x + y,
            {"global_size": n},
        ),
        "softmax": Case((wide, np.empty_like(wide)), 1, _softmax, by_row),
        "layer_norm": Case(
            (wide, *weights, np.empty_like(wide)), 3, _layer_norm, by_row
        ),
        "matmul": Case((a, b, np.empty_like(a)), 2, lambda a, b, c: a @ b, square),
        "tiled_matmul": Case(
            (a, b, np.empty_like(a)), 2, lambda a, b, c: a @ b, square
        ),
        "array_sum": Case(
            (flat, np.empty(n // 256, np.float32)),
            1,
            lambda x, sums: x.reshape(-1, 256).sum(1),
            {"global_size": n},
        ),
        "life": Case(
            (board, np.zeros_like(board)),
            1,
            _life,
            {"global_size": board.shape[::-1]},
        ),
        "histogram": histogram,
        "shared_histogram": histogram,
    }


def check(name: str, case: Case, run: Callable[[], object]) -> None:
    """Runs once from a clear result, which has to be that of NumPy."""
    out = case.arguments[case.out]
    out[...] = 0
    run()
    want = case.numpy(*case.arguments)
    if out.dtype.kind == "f":
        np.testing.assert_allclose(out, want, rtol=2e-3, atol=1e-4, err_msg=name)
    else:  # A number on the edge of a bin may be in either.
        assert abs(out - want).sum() <= 1e-5 * abs(want).sum() + 2, name


def ours(name: str, case: Case, relaxed: bool = False) -> Callable[[], object]:
    """A launch of our kernel, if asked for with relaxed floating-point rules."""
    kernel: spmd.PythonKernel = getattr(kernels, name)
    if relaxed:
        kernel = kernel.replaced({"fastmath": RELAXED}, {})
    return kernel.bind(*case.arguments, **case.sizes, threads=1)


def with_numba(
    name: str, case: Case, relaxed: bool = False
) -> Callable[[], object] | None:
    """A call of Numba's function, if Numba is installed."""
    if find_spec("numba") is None:
        return None
    numba: Any = import_module("numba")  # it has no type stubs
    function: Any = numba.njit(fastmath=relaxed)(getattr(loops, name))
    return lambda: function(*case.arguments)


def measure(name: str, case: Case) -> str:
    """A line of the table."""
    runs: list[Callable[[], object] | None] = [
        ours(name, case),
        ours(name, case, relaxed=True),
        with_numba(name, case),
        with_numba(name, case, relaxed=True),
        lambda: case.numpy(*case.arguments),
    ]
    for run in runs[:4]:
        if run is not None:
            check(name, case, run)
    times: list[list[float]] = [[] for _ in runs]
    numbers = [number for number, run in enumerate(runs) if run is not None]
    orders = itertools.cycle(itertools.permutations(numbers))
    end = time.perf_counter() + SECONDS
    for count in range(RUNS):
        if count > RUNS // 10 and time.perf_counter() > end:
            break
        # What runs after NumPy finds the caches full of its arrays.
        for number in next(orders):
            run = runs[number]
            assert run is not None, "left out above"
            run()  # so that all find their data in the same caches
            start = time.thread_time()
            run()
            times[number].append(time.thread_time() - start)
    spmd_, relaxed, numba, numba_relaxed, numpy = (median(t or [0]) for t in times)
    ratios = (
        numba / spmd_,
        numba_relaxed / spmd_,
        numba_relaxed / relaxed,
        numpy / spmd_,
    )
    shown = "".join(f"{ratio:9.2f}" if ratio else f"{'-':>9}" for ratio in ratios)
    return f"{name:16}{spmd_ * 1e3:9.2f} ms{shown}"


if __name__ == "__main__":
    print(f"{'':37}{'numba':>9}{'both':>9}")
    print(f"{'':16}{'spmd':>12}{'numba':>9}{'relaxed':>9}{'relaxed':>9}{'numpy':>9}")
    for _name, _case in cases().items():
        if len(sys.argv) < 2 or _name in sys.argv[1:]:
            print(measure(_name, _case), flush=True)
