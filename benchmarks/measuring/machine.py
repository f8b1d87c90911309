"""What else the machine does, and where processes run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import sleep

import psutil


def child_environment(
    threads: int, processor: int | None, variables: Mapping[str, str]
) -> dict[str, str]:
    """The variables of a worker; libraries that ask once get the number of threads."""
    count = str(threads)
    asked = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(asked, count), **variables}
    # What is measured is compiled.
    environment["SPMD_CACHE_DIR"] = ""
    # What is installed has its bytecode written once.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if processor is not None:
        environment["SPMD_BENCH_PROCESSOR"] = str(processor)
    return environment


def pin() -> None:
    """Keeps this process on the processor that its parent chose, where that can be done."""
    processor = os.environ.get("SPMD_BENCH_PROCESSOR")
    if processor is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(processor)})


def load() -> list[float]:
    """The busy part of each processor, in a moment in which this process sleeps."""
    psutil.cpu_percent(percpu=True)
    sleep(0.15)
    return [percent / 100 for percent in psutil.cpu_percent(percpu=True)]


def idlest_processor() -> int:
    """The processor that others use least, of those that this process may use."""
    busy = load()
    allowed = psutil.Process().cpu_affinity() if psutil.LINUX else range(len(busy))
    return min(allowed or [0], key=busy.__getitem__)


def pin_to_idlest() -> None:
    """Keeps this process on the processor that others use least."""
    os.environ["SPMD_BENCH_PROCESSOR"] = str(idlest_processor())
    pin()
