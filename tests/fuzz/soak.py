"""
Everything at once, for as long as wanted: does it stay right, alive and small?

    python tests/fuzz/soak.py --seconds 600 --seed 1

Eight threads compile and launch, with right and with wrong input, with timeouts, some of them
kernels that never end. The main thread does the same while Ctrl-C comes at random times; it
forks children that launch, and starts processes that are spawned and get kernels pickled.
Every result is checked. The output is a line every few seconds with counts and the
memory of the process; the status is 1 if a result was wrong, a child died, something got
stuck, or memory has grown after the first third by more than `MOST_GROWTH`.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import os
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import spmd

THREADS = 8

MOST_GROWTH = 64 << 20
"""Bytes; what LLVM and malloc keep moves by some megabytes."""

STUCK = 90
"""Seconds after which a child, or a thread at the end, counts as stuck."""

SOURCE = """
spmd.kernel @sum(%x: memref<?xi64>, %y: memref<?xi64>, %add: i64) {
  %i = spmd.global_id x
  %l = spmd.local_id x
  %v = memref.load %x[%i] : memref<?xi64>
  %all = spmd.reduce add %v across work_group : i64
  %w = arith.addi %all, %add : i64
  memref.store %w, %y[%i] : memref<?xi64>
  spmd.return
}
spmd.kernel @collatz(%x: memref<?xi64>, %y: memref<?xi64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi64>
  %end, %steps = scf.while (%n = %v, %k = %zero) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %n, %one : i64
    scf.condition(%more) %n, %k : i64, i64
  } do {
  ^bb0(%n: i64, %k: i64):
    %odd = arith.andi %n, %one : i64
    %is_odd = arith.cmpi eq, %odd, %one : i64
    %half = arith.shrui %n, %one : i64
    %triple = arith.muli %n, %three : i64
    %up = arith.addi %triple, %one : i64
    %next = arith.select %is_odd, %up, %half : i64
    %count = arith.addi %k, %one : i64
    scf.yield %next, %count : i64, i64
  }
  memref.store %steps, %y[%i] : memref<?xi64>
  spmd.return
}
func.func @host(%x: memref<?xi64>, %y: memref<?xi64>, %n: index, %times: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %seven = arith.constant 7 : i64
  scf.for %k = %c0 to %times step %c1 {
    spmd.launch @sum global(%n) of(%c64) (%x, %y, %seven) : memref<?xi64>, memref<?xi64>, i64
  }
  %first = memref.load %y[%c0] : memref<?xi64>
  func.return %first : i64
}
"""


def collatz(n: int) -> int:
    """How many steps lead from `n` to 1."""
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


STEPS = np.array([0, *(collatz(n) for n in range(1, 2000))])

Array = Any


class Wrong(Exception):
    """A result that is not what it should be."""


def check(good: bool, what: str) -> None:
    if not good:
        raise Wrong(what)


def groups_of(x: Array, size: int, add: int) -> Array:
    """What `sum` gives."""
    sums = [int(x[at : at + size].sum()) for at in range(0, x.size, size)]
    return np.repeat(sums, size)[: x.size] + add


def launch(program: spmd.Program, rng: random.Random) -> str:
    """One launch of some kind, checked; what kind it was."""
    n, size = rng.choice((1, 63, 1000, 20000)), rng.choice((16, 64, 100))
    x = np.array([rng.randrange(1, 2000) for _ in range(64)]).repeat(n // 64 + 1)[:n]
    y = np.zeros_like(x)
    options: dict[str, Any] = {"threads": rng.choice((None, 1, 2, 3)), "global_size": n}
    kind = rng.choice(("sum", "collatz", "host", "bound", "endless", "wrong"))
    match kind:
        case "sum":
            program["sum"](x, y, 5, group_size=size, **options)
            check(bool((y == groups_of(x, size, 5)).all()), "sum")
        case "collatz":
            program["collatz"](x, y, **options)
            check(bool((y == STEPS[x]).all()), "collatz")
        case "host":
            got = program["host"](x, y, n, 3, threads=options["threads"])
            check(got == y[0] == groups_of(x, 64, 7)[0], "host")
        case "bound":
            bound = program["sum"].bind(x, y, 1, group_size=size, **options)
            for _ in range(20):
                y[:] = 0
                bound()
                check(bool((y == groups_of(x, size, 1)).all()), "bound")
        case "endless":
            x[-1] = 0
            with contextlib.suppress(spmd.LaunchTimeout):
                program["collatz"](x, y, timeout=rng.uniform(1e-3, 0.3), **options)
                raise Wrong("an endless loop has ended")
        case _:
            with contextlib.suppress(spmd.LaunchError):
                program["sum"](x.astype(np.float32), y, 1, **options)
                raise Wrong("a wrong array was taken")
    return kind


def compile_one(rng: random.Random) -> str:
    """Compiles a program, or a text that is none; what it was."""
    if rng.random() < 0.5:
        at = rng.randrange(len(SOURCE))
        text = SOURCE[:at] + rng.choice("%}{)(:,x0") + SOURCE[at + rng.randrange(4) :]
        with contextlib.suppress(spmd.CompileError):
            spmd.compile(text)
        return "corrupt text"
    program = spmd.compile(
        SOURCE.replace("1 : i64", f"1 : i64 // {rng.random()}"),
        width=rng.choice(("auto", 4, 16)),
        vectorize=rng.random() < 0.8,
    )
    x = np.arange(1, 65)
    y = np.zeros_like(x)
    program["collatz"](x, y, global_size=64)
    check(bool((y == STEPS[x]).all()), "freshly compiled")
    return "compiled"


def in_spawned(kernel: Any, n: int) -> bool:
    """What a spawned process does with a pickled kernel."""
    x = np.arange(1, n + 1)
    y = np.zeros_like(x)
    kernel(x, y, global_size=n)
    return bool((y == STEPS[x]).all())


class Soak:
    """The whole run."""

    def __init__(self, seconds: float, seed: int):
        self.end = time.monotonic() + seconds
        self.seconds = seconds
        self.seed = seed
        self.program = spmd.compile(SOURCE)
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.memory: list[tuple[float, int]] = []
        self.next_report = self.next_process = 0.0
        self.quiet = threading.Event()
        """Set while no interrupts may come."""

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    def step(self, rng: random.Random) -> None:
        """One thing to do, in any thread."""
        if rng.random() < 0.04:
            self.counts[compile_one(rng)] += 1
        else:
            self.counts[launch(self.program, rng)] += 1

    def thread(self, number: int) -> None:
        rng = random.Random(f"{self.seed} {number}")
        while self.left > 0 and not self.faults:
            try:
                self.step(rng)
            except KeyboardInterrupt:
                self.counts["interrupted elsewhere"] += 1
            except BaseException:
                self.faults.append(traceback.format_exc())

    def interrupts(self) -> None:
        rng = random.Random(f"{self.seed} interrupts")
        while self.left > 3:
            time.sleep(rng.expovariate(3))
            if not self.quiet.is_set():
                self.counts["Ctrl-C"] += 1
                os.kill(os.getpid(), signal.SIGINT)

    def fork(self) -> None:
        """A child launches, and compiles."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # since Python 3.12, if there are threads
            child = os.fork()
        if not child:
            status = 1
            try:
                rng = random.Random()
                for _ in range(5):
                    launch(self.program, rng)
                compile_one(rng)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        give_up = time.monotonic() + STUCK
        while (done := os.waitpid(child, os.WNOHANG)) == (0, 0):
            time.sleep(0.02)
            if time.monotonic() > give_up:
                os.kill(child, signal.SIGUSR1)
                time.sleep(1)
                os.kill(child, signal.SIGKILL)
        self.counts["forked"] += 1
        check(done[1] == 0, f"a forked child ended with status {done[1]}")

    def spawn(self) -> None:
        """Spawned processes get a kernel."""
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            runs = [
                pool.submit(in_spawned, self.program["collatz"], n) for n in (3, 500)
            ]
            check(all(run.result(STUCK) for run in runs), "spawned processes")
        self.counts["spawned"] += 1

    def undisturbed(self, what: Any) -> None:
        """Does something that an interrupt would leave half done."""
        try:
            self.quiet.set()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            what()
        finally:
            self.quiet.clear()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def report(self) -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        used = pages * os.sysconf("SC_PAGE_SIZE")
        self.memory.append((self.seconds - self.left, used))
        counts = ", ".join(f"{n} {kind}" for kind, n in sorted(self.counts.items()))
        print(
            f"{self.seconds - self.left:5.0f} s, {used >> 20} MiB: {counts}", flush=True
        )

    def main(self) -> None:
        """What the main thread does; a Ctrl-C may also come while one is counted."""
        rng = random.Random(f"{self.seed} main")
        while self.left > 0 and not self.faults:
            try:
                self.steps(rng)
            except KeyboardInterrupt:
                self.counts["interrupted between"] += 1

    def steps(self, rng: random.Random) -> None:
        while self.left > 0 and not self.faults:
            try:
                now = time.monotonic()
                if now > self.next_report:
                    self.next_report = now + max(5, self.seconds / 40)
                    self.report()
                if now > self.next_process:
                    self.undisturbed(self.spawn if rng.random() < 0.1 else self.fork)
                    self.next_process = time.monotonic() + 10
                self.step(rng)
            except KeyboardInterrupt:
                self.counts["interrupted"] += 1
            except BaseException:
                self.faults.append(traceback.format_exc())

    def run(self) -> int:
        threads = [
            threading.Thread(target=self.thread, args=(number,), daemon=True)
            for number in range(THREADS)
        ]
        threads.append(threading.Thread(target=self.interrupts, daemon=True))
        for thread in threads:
            thread.start()
        self.main()
        for thread in threads:
            thread.join(STUCK)
            if thread.is_alive():
                self.faults.append(f"{thread.name} is stuck")
        self.report()
        early = [used for at, used in self.memory if at > self.seconds / 3]
        if self.seconds >= 60 and self.memory[-1][1] - early[0] > MOST_GROWTH:
            self.faults.append(f"memory grows: {early[0]} to {self.memory[-1][1]}")
        for fault in self.faults:
            print(fault)
        return bool(self.faults)


def main() -> int:
    parser = argparse.ArgumentParser(description="Everything at once, for a while.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    faulthandler.register(signal.SIGUSR1)  # shows where a child is stuck
    return Soak(options.seconds, options.seed).run()


if __name__ == "__main__":
    sys.exit(main())
