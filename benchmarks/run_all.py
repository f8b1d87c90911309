"""
Runs all benchmarks, each in processes of its own, and prints tables.

`--json FILE` also writes the numbers, `--only NAME` takes some of the examples.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from common import example_names
from harness import in_words

HERE = Path(__file__).parent


def run(script: str, *arguments: str) -> dict[str, float]:
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
    print(f"{first:<18}" + "".join(f"{column:>14}" for column in others), flush=True)


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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").strip().splitlines()[0]
    )
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    parser.add_argument(
        "--only", nargs="*", help="examples, by the start of their names"
    )
    options = parser.parse_args()
    names = [
        name
        for name in example_names()
        if options.only is None or any(name.startswith(o) for o in options.only)
    ]
    results = {
        "side by side": side_by_side(names),
        "cold compile": cold_compile(names),
        "launch overhead": launch_overhead(),
    }
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
