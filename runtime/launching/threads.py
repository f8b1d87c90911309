"""
Work-groups on threads.

The groups of a launch are handed out in chunks, which native code takes from a shared
counter: a thread needs the interpreter once per launch and not once per chunk. The
calling thread takes part; the others are kept from launch to launch. A launch does not
wait for a helper that has not started.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from queue import SimpleQueue

from spmd.runtime.errors import LaunchError

MAX_THREADS = 1024
"""Threads of a launch; each has a stack, and more than CPUs make nothing faster."""

THREADS = f"a whole number from 1 to {MAX_THREADS}"
"""What messages expect."""


CHUNKS_PER_THREAD = 32
"""More spread the work more evenly, and cost an atomic addition each."""


def available_threads() -> int:
    """`SPMD_NUM_THREADS`, else the number of CPUs this process may use."""
    text = os.environ.get("SPMD_NUM_THREADS")
    if text is None:
        return _allowed_cpus()
    try:
        threads = int(text)
    except ValueError:
        threads = 0
    if not 1 <= threads <= MAX_THREADS:
        raise LaunchError(f"expected SPMD_NUM_THREADS as {THREADS}, got {text!r}")
    return threads


def _allowed_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Job:
    """One launch that several threads work on; `work` is called once by each of them."""

    def __init__(self, work: Callable[[], None]):
        self._work = work
        self._lock = threading.Lock()
        self._running = 0
        self._closed = False
        self._idle = threading.Event()
        self._error: BaseException | None = None

    def help(self) -> None:
        """What a helping thread does: nothing, if it comes too late."""
        with self._lock:
            if self._closed:
                return
            self._running += 1
        try:
            self._work()
        except BaseException as error:
            self._error = error
        finally:
            with self._lock:
                self._running -= 1
                if self._closed and not self._running:
                    self._idle.set()

    def finish(self) -> None:
        """Waits for the helpers that have started; raises what one of them raised."""
        with self._lock:
            self._closed = True
            busy = self._running > 0
        if busy:
            self._idle.wait()
        if self._error is not None:
            raise self._error


class _Pool:
    """Threads that wait for jobs; there are never more than were once needed."""

    def __init__(self):
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0

    def submit(self, job: Job, helpers: int) -> None:
        """Offers `job` to `helpers` threads, or to as many as the system gives."""
        if self._threads < helpers:
            self._grow(helpers)
        for _ in range(helpers):
            self._jobs.put(job)

    def _grow(self, threads: int) -> None:
        with self._lock:
            for number in range(self._threads, threads):
                thread = threading.Thread(
                    target=self._serve, name=f"spmd-{number + 1}", daemon=True
                )
                try:
                    thread.start()
                except RuntimeError:
                    # The system gives no more threads: the launch goes on with fewer.
                    return
                self._threads += 1

    def _serve(self) -> None:
        while True:
            self._jobs.get().help()


_pool = _Pool()


def _forget_pool() -> None:
    """A child of `fork` has none of its parent's threads."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def run_on_threads(
    work: Callable[[], None],
    threads: int,
    stop: Callable[[], None],
    wait: Callable[[], None],
) -> None:
    """
    Calls `work` on up to `threads` threads, the calling one included.

    `stop` makes the calls of `work` end early: when this thread is interrupted, the
    arrays must not be written after the exception has left. `wait` is called when this
    thread has done its share.
    """
    job = Job(work)
    with _finished(job, stop):
        _pool.submit(job, threads - 1)
        work()
        wait()


@contextmanager
def _finished(job: Job, stop: Callable[[], None]) -> Generator[None]:
    """In the end waits for those who help, whom an exception here stops."""
    try:
        yield
    except BaseException:
        stop()
        raise
    finally:
        interrupt: BaseException | None = None
        while True:
            try:
                job.finish()
            except KeyboardInterrupt as error:
                stop()
                interrupt = error
                continue
            break
        if interrupt is not None:
            raise interrupt
