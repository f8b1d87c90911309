"""Launches on several threads, from several threads, and after `fork`."""

import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.errors import SourceText
from spmd.runtime.launching.threads import available_threads, run_on_threads
from spmd.runtime.options import CompileOptions

WORK = """
spmd.kernel @work(%n: i32, %out: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = arith.constant 1664525 : i32
  %v = memref.load %out[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %v) -> (i32) : i32 {
    %t = arith.muli %s, %m : i32
    %u = arith.addi %t, %k : i32
    scf.yield %u : i32
  }
  memref.store %r, %out[%i] : memref<?xi32>
  spmd.return
}
"""

LOCAL = """
spmd.kernel @swap(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  %a = arith.subi %n, %l : index
  %b = arith.subi %a, %c1 : index
  %w = memref.load %tile[%b] : memref<?xi32, #spmd.memory<local>>
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.return
}
"""


def kernel(text: str) -> spmd.Kernel:
    (found,) = spmd.compile(text, vectorize=False).kernels.values()
    return found


def expected(n: int, start: np.ndarray) -> np.ndarray:
    value = start.astype(np.uint32)
    for k in range(n):
        value = value * np.uint32(1664525) + np.uint32(k)
    return value.astype(np.int32)


@pytest.mark.parametrize("threads", [1, 2, 4, 16, None])
@pytest.mark.parametrize("groups", [1, 2, 5, 64, 1000])
def test_every_group_runs_once(groups: int, threads: int | None):
    start = np.arange(groups * 8, dtype=np.int32)
    out = start.copy()
    kernel(WORK)(50, out, global_size=out.size, group_size=8, threads=threads)
    assert_array_equal(out, expected(50, start))


@pytest.mark.parametrize("repeats", [1, 5])
def test_without_a_number_of_threads_work_is_shared(repeats: int):
    """Long groups and short ones, few and many: every way to choose the threads."""
    k = kernel(WORK)
    for n, groups in ((100_000, 3), (10_000, 300), (1, 3), (1, 3000)):
        start = np.arange(groups * 2, dtype=np.int32)
        for _ in range(repeats):
            out = start.copy()
            k(min(n, 3), out, global_size=out.size, group_size=2)
            assert_array_equal(out, expected(min(n, 3), start))
            k(n, out, global_size=out.size, group_size=2)


@pytest.mark.parametrize("threads", [4, None])
def test_what_is_little_stays_on_the_calling_thread(
    monkeypatch: pytest.MonkeyPatch, threads: int | None
):
    asked: list[int] = []

    def run_alone(work: Callable[[], None], threads: int, *_: object) -> None:
        asked.append(threads)
        work()

    monkeypatch.setenv("SPMD_NUM_THREADS", "4")
    monkeypatch.setattr("spmd.runtime.launching.launch.run_on_threads", run_alone)
    start = np.arange(1000, dtype=np.int32)
    for worth_a_thread, used in ((1 << 60, []), (1, [4])):
        monkeypatch.setattr("spmd.runtime.launching.launch._HELPER_NS", worth_a_thread)
        out = start.copy()
        kernel(WORK)(5, out, global_size=out.size, group_size=8, threads=threads)
        assert_array_equal(out, expected(5, start))
        assert asked == used


def test_each_thread_has_its_own_local_memory():
    x = np.arange(1 << 16, dtype=np.int32)
    k = kernel(LOCAL)
    launch = k.bind(x, spmd.local(64), global_size=x.size, group_size=64, threads=4)
    flipped = x.reshape(-1, 64)[:, ::-1].reshape(-1).copy()
    launch()
    assert_array_equal(x, flipped)
    launch()
    assert_array_equal(x, np.arange(1 << 16))


def void(_: object) -> None:
    """Forgets a result."""


def in_threads(work: Callable[[int], None], count: int) -> None:
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_kernels_may_be_called_from_several_threads():
    k = kernel(WORK)

    def work(number: int) -> None:
        start = np.arange(4096, dtype=np.int32) + number
        for n in (1, 40, 3):
            for group_size in (16, 64):
                out = start.copy()
                k(
                    n,
                    out,
                    global_size=out.size,
                    group_size=group_size,
                    threads=number + 1,
                )
                assert_array_equal(out, expected(n, start))

    in_threads(work, 4)


def test_one_bound_launch_may_be_called_from_several_threads():
    x = np.arange(1 << 12, dtype=np.int32)
    launch = kernel(LOCAL).bind(
        x[:64], spmd.local(64), global_size=64, group_size=64, threads=1
    )
    launch()
    lock = threading.Lock()

    def work(_: int) -> None:
        for _ in range(51):
            with lock:
                launch()

    in_threads(work, 3)
    assert_array_equal(x[:64], np.arange(64))


def test_programs_may_be_compiled_in_several_threads():
    def work(number: int) -> None:
        program = spmd.compile(WORK.replace("1664525", str(number)))
        out = np.full(100, 2, np.int32)
        program["work"](2, out, global_size=100, group_size=10 + number)
        assert_array_equal(out, 2 * number**2 + 1)

    in_threads(work, 4)


def test_number_of_threads_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SPMD_NUM_THREADS", "3")
    assert available_threads() == 3
    for text in ("0", "-1", "many", ""):
        monkeypatch.setenv("SPMD_NUM_THREADS", text)
        with pytest.raises(spmd.LaunchError, match=f"SPMD_NUM_THREADS.*got '{text}'"):
            available_threads()
    monkeypatch.delenv("SPMD_NUM_THREADS")
    assert available_threads() >= 1


def test_error_of_a_helper_is_raised():
    barrier = threading.Barrier(2, timeout=30)

    def work() -> None:
        barrier.wait()
        if threading.current_thread().name.startswith("spmd-"):
            raise MemoryError("no scratch")

    with pytest.raises(MemoryError, match="no scratch"):
        run_on_threads(work, 2, lambda: None, lambda: None)


def test_interrupt_waits_for_the_helpers():
    started, stopped = threading.Event(), threading.Event()
    done: list[bool] = []

    def work() -> None:
        if threading.current_thread().name.startswith("spmd-"):
            started.set()
            done.append(stopped.wait(30))
            return
        assert started.wait(30)
        raise KeyboardInterrupt

    waits: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        run_on_threads(work, 2, stopped.set, lambda: waits.append(True))
    assert done == [True]
    assert not waits


def test_a_thread_that_waits_for_the_helpers_says_so():
    started, waits = threading.Event(), threading.Event()
    done: list[bool] = []

    def work() -> None:
        if threading.current_thread().name.startswith("spmd-"):
            started.set()
            done.append(waits.wait(30))
        else:
            assert started.wait(30)

    run_on_threads(work, 2, lambda: None, waits.set)
    assert done == [True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_launch_in_a_child_of_fork():
    k = kernel(WORK)
    start = np.arange(4096, dtype=np.int32)
    out = start.copy()
    k(10, out, global_size=out.size, group_size=16, threads=4)
    with warnings.catch_warnings():
        # Python 3.12 warns of forks in a process with threads, which is the point here.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            for group_size in (16, 32):
                out = start.copy()
                k(10, out, global_size=out.size, group_size=group_size, threads=4)
                assert_array_equal(out, expected(10, start))
            # The child has helpers of its own.
            both = threading.Barrier(2, timeout=30)
            run_on_threads(lambda: void(both.wait()), 2, lambda: None, lambda: None)
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_fork_compiles_while_another_thread_does(
    monkeypatch: pytest.MonkeyPatch,
):
    computing, done = threading.Event(), threading.Event()

    def wait(_source: object) -> NoReturn:
        computing.set()
        done.wait(60)
        raise AssertionError("nobody needs it")

    unit = Unit(SourceText("slow", WORK), CompileOptions(), None)
    with monkeypatch.context() as patch:
        patch.setattr("spmd.runtime.pipeline.module_of", wait)
        thread = threading.Thread(target=lambda: suppressed(lambda: unit.module))
        thread.start()
        assert computing.wait(30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that waits for ever
        spmd.compile(WORK)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    done.set()
    thread.join()
    assert status == 0


def suppressed(run: Callable[[], object]) -> None:
    with suppress(AssertionError):
        run()


DEEP = """
import threading
import numpy as np
import spmd

kernel = spmd.compile('''
spmd.kernel @deep(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8192 : index
  %i = spmd.global_id x
  %p = memref.alloca() : memref<8192xi32>
  scf.for %j = %c0 to %n step %c1 {
    %s = arith.addi %i, %j : index
    %v = arith.index_cast %s : index to i32
    memref.store %v, %p[%j] : memref<8192xi32>
  }
  %w = memref.load %p[%i] : memref<8192xi32>
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.return
}''', width=64)["deep"]
x = np.zeros(100, np.int32)
threading.stack_size(128 << 10)
for threads in (1, 3, None):
    x[:] = 0
    thread = threading.Thread(
        target=lambda: kernel(x, global_size=100, group_size=50, threads=threads)
    )
    thread.start()
    thread.join()
    assert (x == 2 * np.arange(100)).all()
"""


def test_private_arrays_do_not_need_the_stack_of_the_caller():
    # In a process of its own, which would not survive.
    subprocess.run([sys.executable, "-c", DEEP], check=True)
