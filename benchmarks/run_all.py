"""
Runs all benchmarks, each in processes of its own, and prints tables.

`--json FILE` also writes the numbers, `--only NAME` takes some of the examples and
`--tables NAME` some of the tables.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from common import example_names
from fixed_sizes import EXAMPLES as SIZED
from harness import in_words

HERE = Path(__file__).parent


def run(script: str, *arguments: str) -> dict[str, Any]:
    """The numbers that a benchmark prints in a fresh process."""
    done = subprocess.run(
        [sys.executable, HERE / script, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def row(*columns: str) -> None:
    first, *others = columns
    print(f"{first:<26}" + "".join(f"{column:>15}" for column in others), flush=True)


def side_by_side(names: Sequence[str]) -> dict[str, dict[str, float]]:
    print("One thread, medians of one run")
    row("example", "vectorize", "loops", "NumPy", "loops/vec", "NumPy/vec")
    results: dict[str, dict[str, float]] = {}
    for name in names:
        times = results[name] = run("side_by_side.py", name)
        vectorize, loops, numpy = times["vectorize"], times["loops"], times["numpy"]
        row(
            name,
            *map(in_words, (vectorize, loops, numpy)),
            f"{loops / vectorize:.2f}x",
            f"{numpy / vectorize:.2f}x",
        )
    return results


def cold_compile(
    names: Sequence[str], processes: int = 3
) -> dict[str, dict[str, float]]:
    print(f"\nCold compile, median of {processes} fresh processes, without imports")
    row("example", "spmd.compile", "first launch")
    results: dict[str, dict[str, float]] = {}
    for name in names:
        runs = [run("cold_compile.py", name) for _ in range(processes)]
        times = {key: median(each[key] for each in runs) for key in runs[0]}
        results[name] = times
        row(name, *map(in_words, times.values()))
    return results


def launch_overhead() -> dict[str, float]:
    print("\nA launch of one group, three f32 arrays and one scalar, one thread")
    times = run("launch_overhead.py")
    for name, value in times.items():
        row(name, in_words(value))
    return times


def ratio(times: dict[str, float], above: str, below: str) -> str:
    if above not in times or below not in times:
        return "-"
    return f"{times[above] / times[below]:.2f}x"


def barriers() -> dict[str, dict[str, float]]:
    print("\nSums of groups of 256, one thread, medians of one run")
    forms = ("fission", "continuations", "reduce", "C")
    pairs = (("continuations", "fission"), ("fission", "C"), ("fission", "reduce"))
    row("elements", *forms, "cont/fission", "fission/C", "fission/reduce")
    results: dict[str, dict[str, float]] = {}
    for size in ("fixed", "any"):
        for power in (18, 24):
            name = f"2^{power}, {size} size"
            times = results[name] = run("barriers.py", str(1 << power), size)
            shown = [in_words(times[f]) if f in times else "no cc" for f in forms]
            row(name, *shown, *(ratio(times, *pair) for pair in pairs))
    return results


def fixed_sizes(names: Sequence[str]) -> dict[str, dict[str, float]]:
    names = [name for name in SIZED if name in names]
    print("\nA fixed size of groups and any size, one thread, medians of one run")
    forms = ("attribute", "pass", "launch", "any size")
    row("example", *forms, "any/launch")
    results: dict[str, dict[str, float]] = {}
    for name in names:
        times = results[name] = run("fixed_sizes.py", name)
        shown = [in_words(times[form]) for form in forms]
        row(name, *shown, ratio(times, "any size", "launch"))
    return results


def linearity() -> dict[str, dict[str, list[float]]]:
    print(
        "\nCompile time per operation, kernels with barriers of 200 and 5,000 operations"
    )
    results: dict[str, dict[str, list[float]]] = {}
    for strategy in ("fission", "continuations"):
        row(strategy, "200", "5,000", "ratio")
        results[strategy] = run("linearity.py", strategy)
        for name, (small, large) in results[strategy].items():
            row(name, f"{small:.1f} us", f"{large:.1f} us", f"{large / small:.2f}x")
    return results


TABLES: dict[str, Callable[[Sequence[str]], object]] = {
    "side-by-side": side_by_side,
    "cold-compile": cold_compile,
    "launch-overhead": lambda names: launch_overhead(),
    "barriers": lambda names: barriers(),
    "fixed-sizes": fixed_sizes,
    "linearity": lambda names: linearity(),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").strip().splitlines()[0]
    )
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    parser.add_argument(
        "--only", nargs="*", help="examples, by the start of their names"
    )
    parser.add_argument(
        "--tables", nargs="*", choices=TABLES, default=TABLES, help="some of the tables"
    )
    options = parser.parse_args()
    names = [
        name
        for name in example_names()
        if options.only is None or any(name.startswith(o) for o in options.only)
    ]
    results = {
        table: TABLES[table](names) for table in TABLES if table in options.tables
    }
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
