"""
From `spmd.compile` to the return of the first launch of one group, in a fresh process.

Run as a process with an example's name; prints seconds as JSON. Imports are not counted,
caches do not exist.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter

from common import load_example
from sources import parsed

import spmd
from spmd.reference import run_kernel
from spmd.universe import SPMD_UNIVERSE


def import_everything() -> None:
    """Import what compiling and launching import when they need it."""
    for registry in (SPMD_UNIVERSE.all_dialects, SPMD_UNIVERSE.all_passes):
        for load in registry.values():
            load()
    for package in ("runtime", "lowering"):
        for path in (Path(spmd.__file__).parent / package).glob("[a-z]*.py"):
            import_module(f"spmd.{package}.{path.stem}")


def measure(name: str) -> dict[str, float]:
    """Seconds of `spmd.compile`, and until one group has run."""
    for load in (
        *SPMD_UNIVERSE.all_dialects.values(),
        *SPMD_UNIVERSE.all_passes.values(),
    ):
        load()
    example = load_example(name)
    launch = example.launch(*example.small_sizes[1])
    arguments, expected = launch.copy(), launch.copy()
    source = example.source
    start = perf_counter()
    program = spmd.compile(source)
    compiled = perf_counter()
    program[example.kernel](*arguments, global_size=example.one_group)
    launched = perf_counter()
    # One group is not what NumPy computes.
    run_kernel(parsed(source), example.kernel, expected, global_size=example.one_group)
    example.check(launch, arguments, expected)
    return {"compile": compiled - start, "first launch": launched - start}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
