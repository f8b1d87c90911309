"""Launches that would go on for ever are ended: by signals, by timeouts, in every thread."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import spmd

# `count` ends when `go` is false, or never; `long` needs years for large `n`.
SOURCE = """
spmd.kernel @count(%y: memref<?xi64>, %go: i1) {
  %one = arith.constant 1 : i64
  %i = spmd.global_id x
  %r = scf.while (%c = %go) : (i1) -> i1 {
    %v = memref.load %y[%i] : memref<?xi64>
    %w = arith.addi %v, %one : i64
    memref.store %w, %y[%i] : memref<?xi64>
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%c: i1):
    scf.yield %c : i1
  }
  spmd.return
}
spmd.kernel @long(%y: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %i = spmd.global_id x
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) {
    %v = memref.load %y[%i] : memref<?xi64>
    %w = arith.xori %a, %v : i64
    memref.store %w, %y[%i] : memref<?xi64>
    scf.yield %w : i64
  }
  spmd.return
}
spmd.kernel @add(%y: memref<?xi64>) {
  %one = arith.constant 1 : i64
  %i = spmd.global_id x
  %v = memref.load %y[%i] : memref<?xi64>
  %w = arith.addi %v, %one : i64
  memref.store %w, %y[%i] : memref<?xi64>
  spmd.return
}
func.func @host(%y: memref<?xi64>, %n: index, %go: i1) {
  %c64 = arith.constant 64 : index
  %r = scf.while (%c = %go) : (i1) -> i1 {
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%c: i1):
    spmd.launch @long global(%c64) of(%c64) (%y, %n) : memref<?xi64>, index
    scf.yield %c : i1
  }
  func.return
}
func.func @host_alone(%y: memref<?xi64>, %go: i1) {
  %c1 = arith.constant 1 : index
  %r = scf.while (%c = %go) : (i1) -> i1 {
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%c: i1):
    scf.yield %c : i1
  }
  spmd.launch @add global(%c1) of(%c1) (%y) : memref<?xi64>
  func.return
}
"""

YEARS = 1 << 50


class Alarm(BaseException):
    """What the handlers of these tests raise."""


def _raise_alarm(*_: object) -> None:
    raise Alarm


@contextmanager
def alarms(
    handler: Callable[..., object] = _raise_alarm, *, every: float = 0
) -> Generator[None]:
    """Signals that come while a launch runs; `SIGALRM` belongs to pytest's own timeout."""
    before = signal.signal(signal.SIGUSR1, handler)
    over = threading.Event()

    def send() -> None:
        while not over.wait(every or 0.1):
            os.kill(os.getpid(), signal.SIGUSR1)
            if not every:
                return

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)


def array(items: int = 64) -> Any:
    return np.zeros(items, np.int64)


def usable(program: spmd.Program) -> bool:
    """Whether launches on threads still do what they are told."""
    y = array(100_000)
    program["add"](y, global_size=y.size, threads=2)
    return bool((y == 1).all())


@pytest.fixture(scope="module", params=[True, False], ids=["vectors", "scalar"])
def program(request: pytest.FixtureRequest) -> spmd.Program:
    program = spmd.compile(SOURCE, vectorize=request.param)
    # Compiled for the sizes that are used here.
    for items in (64, 6400):
        program["count"](array(items), False, global_size=items, group_size=64)
    program["long"](array(), 1, global_size=64)
    with pytest.raises(spmd.LaunchTimeout):
        program["host"](array(), 1, True, timeout=1)
    program["host_alone"](array(), False)
    assert usable(program)
    # What is raised in a `__del__`, as LLVM's objects have it, is lost.
    gc.collect()
    gc.freeze()
    return program


ENDLESS: dict[str, Callable[[spmd.Program, dict[str, Any]], object]] = {
    "loop": lambda p, o: p["count"](array(), True, global_size=64, **o),
    "many groups": lambda p, o: p["count"](
        array(6400), True, global_size=6400, group_size=64, **o
    ),
    "counted": lambda p, o: p["long"](array(), YEARS, global_size=64, **o),
    "host": lambda p, o: p["host"](array(), 10, True, **o),
    "host, long": lambda p, o: p["host"](array(), YEARS, True, **o),
    "host alone": lambda p, o: p["host_alone"](array(), True, **o),
}


@pytest.mark.parametrize("endless", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("threads", [1, 2, None])
def test_a_signal_ends_it(
    program: spmd.Program,
    endless: Callable[[spmd.Program, dict[str, Any]], object],
    threads: int | None,
):
    with alarms(), pytest.raises(Alarm) as caught:
        endless(program, {"threads": threads})
    assert caught.tb is not None
    assert usable(program)


@pytest.mark.parametrize("endless", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("threads", [1, 2, None])
def test_a_timeout_ends_it(
    program: spmd.Program,
    endless: Callable[[spmd.Program, dict[str, Any]], object],
    threads: int | None,
):
    with pytest.raises(spmd.LaunchTimeout, match=r"within the timeout of 0\.05 s") as e:
        endless(program, {"threads": threads, "timeout": 0.05})
    assert isinstance(e.value, TimeoutError | spmd.LaunchError)
    assert usable(program)


def test_a_bound_launch_can_be_used_after_it_was_ended(program: spmd.Program):
    y = array()
    launch = program.kernels["count"].bind(y, True, global_size=64, threads=1)
    for _ in range(2):
        with alarms(), pytest.raises(Alarm):
            launch()
    limited = program.kernels["long"].bind(y, 100, global_size=64, timeout=60)
    limited()
    limited()


def test_a_handler_that_does_not_raise_lets_the_launch_go_on(program: spmd.Program):
    seen: list[bool] = []
    with (
        alarms(lambda *_: seen.append(usable(program)), every=0.05),
        pytest.raises(spmd.LaunchTimeout),
    ):
        program["count"](array(), True, global_size=64, timeout=0.5)
    assert len(seen) > 1
    assert all(seen)


def test_a_handler_may_launch_what_is_running(program: spmd.Program):
    y, more = array(), [False, True]
    launch = program.kernels["long"].bind(y, 3_000_000, global_size=64, threads=1)

    def again(*_: object) -> None:
        if more:
            more.pop()
            launch()

    with alarms(again, every=0.05):
        while more:
            launch()


def test_threads_may_run_one_bound_launch_at_once(program: spmd.Program):
    launch = program.kernels["count"].bind(array(), True, global_size=64, timeout=0.2)
    with ThreadPoolExecutor(4) as threads:
        runs = [threads.submit(launch) for _ in range(4)]
    assert [type(run.exception()) for run in runs] == [spmd.LaunchTimeout] * 4


@pytest.mark.parametrize(
    ("name", "arguments", "size"),
    [("count", (True,), {"global_size": 64}), ("host", (YEARS, True), {})],
)
@pytest.mark.parametrize("order", [(1, 2, 3), (6, 4, 2)])
def test_a_timeout_of_another_thread_is_its_own(
    program: spmd.Program,
    name: str,
    arguments: tuple[Any, ...],
    size: dict[str, Any],
    order: tuple[int, ...],
):
    y = array()  # The same for all, which host functions make the same launch of.

    def endless(timeout: float) -> None:
        program[name](y, *arguments, timeout=timeout, **size)

    with ThreadPoolExecutor(3) as threads:
        runs = [threads.submit(endless, 0.1 * n) for n in order]
        said = [str(run.exception()) for run in runs]
    assert all(
        f"timeout of 0.{n} s" in text for n, text in zip(order, said, strict=True)
    )


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), "soon", None.__class__])
def test_wrong_timeout(program: spmd.Program, wrong: Any):
    with pytest.raises(spmd.LaunchError, match="expected a timeout of more than 0 sec"):
        program["count"](array(), False, global_size=64, timeout=wrong)


def _in_a_child(code: str, *, interrupt_after: float = 0.0) -> tuple[int, str]:
    """Runs a program; its status and what it printed."""
    child = subprocess.Popen(
        [sys.executable, "-c", f"SOURCE = '''{SOURCE}'''\n{code}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert child.stdout is not None
    lines = [child.stdout.readline()]
    if interrupt_after:
        time.sleep(interrupt_after)
        child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=60)
    return child.returncode, "".join([*lines, rest])


def test_ctrl_c_ends_a_program():
    status, text = _in_a_child(
        "import numpy as np, spmd\n"
        "k = spmd.compile(SOURCE)['count']\n"
        "print('ready', flush=True)\n"
        "k(np.zeros(64, np.int64), True, global_size=64)\n",
        interrupt_after=0.3,
    )
    assert status == -signal.SIGINT
    assert text.endswith("KeyboardInterrupt\n")
    assert "ignored" not in text


POOL = """
import numpy as np, spmd
from concurrent.futures import ThreadPoolExecutor
k = spmd.compile(SOURCE)['count']
def run():
    k(np.zeros(64, np.int64), True, global_size=64)
"""


@pytest.mark.parametrize(
    "code",
    [
        "with ThreadPoolExecutor(2) as pool:\n"
        "    runs = [pool.submit(run) for _ in range(2)]\n"
        "    print('ready', flush=True)\n"
        "    runs[0].result()\n",
        "import threading\n"
        "thread = threading.Thread(target=run)\n"
        "thread.start()\n"
        "print('ready', flush=True)\n"
        "thread.join()\n",
    ],
    ids=["executor", "thread"],
)
def test_ctrl_c_ends_launches_of_other_threads(code: str):
    status, text = _in_a_child(POOL + code, interrupt_after=0.6)
    assert status in (1, -signal.SIGINT)
    assert "KeyboardInterrupt" in text


def test_ctrl_c_of_before_ends_nothing():
    """What ended the last command of an interactive session does not end a later launch."""
    status, text = _in_a_child(
        """
import sys, threading, time, numpy as np, spmd
k = spmd.compile(SOURCE)['count']
def lasts_for(seconds):
    try:
        k(np.zeros(64, np.int64), True, global_size=64, timeout=seconds)
    except spmd.LaunchTimeout:
        print("whole time")
def in_a_thread():
    thread = threading.Thread(target=lasts_for, args=(0.3,))
    thread.start()
    thread.join()
sys.last_value = KeyboardInterrupt()
in_a_thread()
time.sleep(1.5)
sys.last_value = KeyboardInterrupt()
in_a_thread()
del sys.last_value
in_a_thread()
"""
    )
    assert (status, text) == (0, "whole time\n" * 3)


def test_after_a_fork():
    status, text = _in_a_child(
        """
import os, warnings, numpy as np, spmd
warnings.simplefilter("ignore")
k = spmd.compile(SOURCE)['count']
def ended():
    try:
        k(np.zeros(64, np.int64), True, global_size=64, timeout=0.1)
    except spmd.LaunchTimeout:
        return True
print(ended())
child = os.fork()
if not child:
    os._exit(0 if ended() else 1)
print(os.waitpid(child, 0)[1], ended())
"""
    )
    assert (status, text.split()) == (0, ["True", "0", "True"])
