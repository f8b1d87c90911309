"""What the benchmarks share: the examples, and measuring several things side by side."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import util
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
sys.path.append(str(EXAMPLES))

# One thread for NumPy's BLAS too, which asks once: this module must come before NumPy.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

if TYPE_CHECKING:
    from harness import Example


def load_example(name: str) -> Example:
    """The `EXAMPLE` of a script of this name, `01_saxpy`."""
    spec = util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None, f"expected an example called {name}"
    assert spec.loader is not None, "a Python file has a loader"
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.EXAMPLE


def example_names() -> list[str]:
    """The examples with a kernel, in order."""
    scripts = sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))
    return [path.stem for path in scripts if "EXAMPLE = " in path.read_text()]


def medians(
    calls: dict[str, Callable[[], object]], *, budget: float, repeats: int = 5
) -> dict[str, float]:
    """
    The median seconds of each call, taken in turns so that a slow moment of the machine
    hits all of them: at least `repeats` times, more while the budget lasts.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    begin = perf_counter()
    while len(next(iter(times.values()))) < repeats or perf_counter() - begin < budget:
        for name, call in calls.items():
            start = perf_counter()
            call()
            times[name].append(perf_counter() - start)
    return {name: median(values) for name, values in times.items()}
