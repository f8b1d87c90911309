"""All systems on one case, by turns, so that a slow moment of the machine hits all of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any, Self

from benchmarks.measuring.machine import child_environment, idlest_processor
from benchmarks.measuring.record import Record
from benchmarks.systems import SYSTEMS
from benchmarks.systems.system import Missing

ROOT = Path(__file__).resolve().parents[2]

ROUNDS, BUDGET = 5, 0.12
"""Turns of each system, and seconds of a turn."""

PATIENCE = 120.0
"""Seconds until a process without a reply is given up: some runtimes hang on some cases."""

QUIET = 0.25
"""Seconds between turns on several threads: waiting threads of the last one go to sleep."""


class Worker:
    """A process that measures one system on one case; `with` ends it."""

    def __init__(self, case: str, system: str, threads: int, processor: int | None):
        self.record = Record(case, system, threads)
        self._folder = TemporaryDirectory()
        self._process: subprocess.Popen[str] | None = None
        try:
            variables = SYSTEMS[system].environment(self._folder.name, threads)
        except Missing as reason:
            self.record.skipped = f"{reason}"
            return
        command = [sys.executable, "-m", "benchmarks.measuring.worker"]
        self._process = subprocess.Popen(
            [*command, case, system, str(threads)],
            cwd=ROOT,
            env=child_environment(threads, processor, variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if system != "spmd" else None,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._folder.cleanup()

    @property
    def ready(self) -> bool:
        """Whether turns can be asked for."""
        return self._process is not None and not self.record.problem

    def hear(self) -> dict[str, Any]:
        """The next reply; a process that ended without one has failed."""
        assert self._process is not None, "asked only when ready"
        assert self._process.stdout is not None, "a pipe"
        answered, _, _ = select([self._process.stdout], [], [], PATIENCE)
        if not answered:
            self.record.failed = f"no reply after {PATIENCE:.0f} s"
            return {}
        line = self._process.stdout.readline()
        if not line:
            self.record.failed = f"exit status {self._process.wait()}"
            return {}
        reply: dict[str, Any] = json.loads(line)
        self.record.failed = reply.pop("failed", "")
        self.record.skipped = reply.pop("skipped", "")
        return reply

    def start(self) -> None:
        """Waits until the case is compiled and checked."""
        if self.ready:
            self.record.compiled(**self.hear())

    def take_turn(self) -> None:
        """One turn of `BUDGET` seconds."""
        if self.ready:
            self._say(f"{BUDGET}\n")
            self.record.add(**self.hear())

    def finish(self) -> None:
        """Lets the process check its last result."""
        if self.ready:
            assert self._process is not None, "ready"
            assert self._process.stdin is not None, "a pipe"
            self._process.stdin.close()
            self._process.stdin = None
            self.hear()

    def _say(self, line: str) -> None:
        assert self._process is not None, "ready"
        assert self._process.stdin is not None, "a pipe"
        self._process.stdin.write(line)
        self._process.stdin.flush()


def measure(
    case: str,
    systems: Sequence[str],
    threads: int,
    advance: Callable[[str], None] = lambda step: None,
) -> list[Record]:
    """The records of all `systems` on `case`; `advance` hears of each step."""
    processor = idlest_processor() if threads == 1 else None
    with ExitStack() as stack:
        workers: list[Worker] = []
        for system in systems:
            advance(f"{case}: compiling with {system}")
            worker = stack.enter_context(Worker(case, system, threads, processor))
            worker.start()
            workers.append(worker)
        for _ in range(ROUNDS):
            for worker in workers:
                advance(f"{case}: running with {worker.record.system}")
                worker.take_turn()
                if threads > 1:
                    sleep(QUIET)
        for worker in workers:
            worker.finish()
    return [worker.record for worker in workers]
