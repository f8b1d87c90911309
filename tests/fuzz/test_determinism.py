"""The IR of a kernel is the same in every process: nothing follows addresses of objects."""

from __future__ import annotations

import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import spmd
from spmd.runtime.options import Strategy
from tests.fuzz.programs import write_kernel
from tests.fuzz.writer import Features

ROOT = Path(__file__).resolve().parents[2]
STRATEGIES: tuple[Strategy, ...] = ("fission", "continuations")
KERNELS = 16


def fingerprints(kernels: int) -> list[str]:
    """One number for the IR of all passes, for each kernel and strategy."""
    found: list[str] = []
    for number in range(kernels):
        rng = random.Random(number)
        source = write_kernel(rng.randrange, Features(all_about_barriers=True)).source
        for strategy in STRATEGIES:
            try:
                program = spmd.compile(source, strategy=strategy, width=4)
                stages = [f"{n}\n{text}" for n, text in program.stages()]
            except spmd.CompileError as error:
                stages = [str(error)]
            found.append(sha256("\n".join(stages).encode()).hexdigest()[:12])
    return found


def test_two_processes_write_the_same_ir():
    command = [sys.executable, "-m", "tests.fuzz.test_determinism", str(KERNELS)]
    processes = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    first, second = (process.communicate()[0].split() for process in processes)
    assert len(first) == KERNELS * len(STRATEGIES)
    assert first == second


if __name__ == "__main__":
    print(*fingerprints(int(sys.argv[1])), sep="\n")
