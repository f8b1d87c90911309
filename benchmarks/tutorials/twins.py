"""
Examples in Python beside their .mlir files, and what translating kernels takes.

```sh
python -m benchmarks.tutorials.twins          # examples, then the kernels of the tutorials
python -m benchmarks.tutorials.twins 06_nbody
```

Of an example, the processor time of the fastest run of the .mlir file, and how many times
that its twin takes, which should be within 5 %; both run in turns. Of all, the processor time
from the function and the arguments to verified IR, the best of five; 20 ms is the goal.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import spmd
from benchmarks.tutorials import kernels
from benchmarks.tutorials.__main__ import cases

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.append(str(EXAMPLES))  # They import each other as scripts do.

RUNS, SECONDS = 40, 8.0
TRANSLATIONS = 5


def translation(kernel: spmd.PythonKernel, arguments: tuple[Any, ...]) -> float:
    """Milliseconds from the function to verified IR."""
    times: list[float] = []
    for _ in range(TRANSLATIONS):
        new = kernel.replaced({}, {})
        start = time.process_time()
        next(iter(new.stages(*arguments)))
        times.append(1e3 * (time.process_time() - start))
    return min(times)


def fastest(*calls: Callable[[], object]) -> list[float]:
    """The shortest time of each of `calls`, which run in turns."""
    times = [float("inf") for _ in calls]
    start = time.perf_counter()
    for _ in range(RUNS):
        for number, call in enumerate(calls):
            before = time.thread_time()
            call()
            times[number] = min(times[number], time.thread_time() - before)
        if time.perf_counter() > start + SECONDS:
            break
    return times


def lines(names: list[str]) -> Iterator[str]:
    """A line for each kernel, or for those of these `names`."""
    twins = import_module("twins").TWINS
    for script in sorted(EXAMPLES.glob("[0-9][0-9]_*.py")):
        if names and script.stem not in names:
            continue
        example = getattr(import_module(script.stem), "EXAMPLE", None)
        if example is None or (twin := twins.get(example.kernel)) is None:
            continue
        launch = example.launch()
        at = {"global_size": launch.global_size, "threads": 1}
        text, python = fastest(
            example.compile().bind(*launch.copy(), **at),
            twin.bind(*launch.copy(), **at),
        )
        ms = translation(twin, launch.arguments)
        yield f"{script.stem:20}{1e3 * text:9.2f} ms{python / text:8.2f}{ms:9.1f} ms"
    for name, case in cases(16).items():
        if not names or name in names:
            ms = translation(getattr(kernels, name), case.arguments)
            yield f"{name:20}{'':20}{ms:9.1f} ms"


if __name__ == "__main__":
    print(f"{'':20}{'.mlir':>12}{'Python':>8}{'translation':>12}")
    for line in lines(sys.argv[1:]):
        print(line, flush=True)
