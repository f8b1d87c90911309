"""
One system on one case in a process of its own, which takes turns with others.

The process compiles, checks the result, and says so in one line of JSON; then it runs the
case once for each line that it reads, and says how long that took. At the end of its input
it checks the result of one more run.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass, field
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter, process_time
from typing import TextIO

from benchmarks.measuring.machine import pin
from benchmarks.suite.case import benchmarks
from benchmarks.systems import SYSTEMS
from benchmarks.systems.system import Missing, System, Unsupported

SHORTEST = 2e-4
"""Seconds: what is shorter is run several times in a row and divided."""

FEWEST, MOST = 3, 400
"""Measurements of one turn."""


@dataclass
class Turn:
    """What one turn measured: seconds of each run, on the wall and of the processor."""

    wall: list[float] = field(default_factory=list[float])
    processor: list[float] = field(default_factory=list[float])

    def measure(self, system: System, runs: int) -> None:
        """Adds the mean of `runs` runs in a row."""
        if system.case.in_place:
            system.restore()
        processor, wall = process_time(), perf_counter()
        for _ in range(runs):
            system.run()
        self.wall.append((perf_counter() - wall) / runs)
        self.processor.append((process_time() - processor) / runs)


def take_turn(system: System, budget: float) -> Turn:
    """At least `FEWEST` measurements, more while the budget of seconds lasts."""
    turn = Turn()
    first = Turn()
    first.measure(system, 1)
    runs = 1
    if not system.case.in_place:
        runs = max(1, int(SHORTEST / max(first.wall[0], 1e-7)))
    end = perf_counter() + budget
    while len(turn.wall) < FEWEST or (perf_counter() < end and len(turn.wall) < MOST):
        turn.measure(system, runs)
    return turn


def clock(threads: int) -> float:
    """
    Seconds of the wall, or on one thread of the processor, compilers that run as processes
    of their own included.
    """
    if threads > 1:
        return perf_counter()
    children = getrusage(RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def first_result(system: System, nonce: int) -> float:
    """Seconds from source to the end of the first run."""
    start = clock(system.threads)
    system.compile(nonce)
    system.run()
    return clock(system.threads) - start


def check(system: System) -> float:
    """The error of what the arrays hold; raises `ArithmeticError` if it is too large."""
    error = system.case.error(system.result)
    if not error <= system.case.tolerance:
        raise ArithmeticError(
            f"wrong result: error {error:.3g}, tolerance {system.case.tolerance:.3g}"
        )
    return error


def serve(name: str, system_name: str, threads: int, replies: TextIO) -> None:
    """Measures as the lines of the standard input ask for it."""

    def say(**words: object) -> None:
        print(json.dumps(words), file=replies, flush=True)

    case = benchmarks()[name].case()
    start = clock(threads)
    try:
        system = SYSTEMS[system_name](case, threads)
        made = clock(threads) - start
        cold = made + first_result(system, 0)
        error = check(system)
        once = Turn()
        once.measure(system, 1)
        if case.in_place:
            system.restore()
        warm = first_result(system, 1)
        run = min(once.processor if threads == 1 else once.wall)
        say(cold=max(0.0, cold - run), warm=max(0.0, warm - run), error=error)
        for line in sys.stdin:
            say(**asdict(take_turn(system, float(line))))
        system.restore()
        system.run()
        say(error=check(system))
    except (Missing, Unsupported) as reason:
        say(skipped=str(reason))
    except Exception as error:
        lines = f"{type(error).__name__}: {error}".splitlines()
        say(failed=" ".join(lines[:3])[:300])


if __name__ == "__main__":
    pin()
    # What libraries print is not a reply.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), replies)
    replies.flush()
    os._exit(0)  # the exit handlers of some runtimes hang
