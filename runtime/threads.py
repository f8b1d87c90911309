"""
Work-groups on threads.

The groups of a launch are handed out in chunks that get smaller towards the end; the
loop that takes them is native code (`CHUNK_LOOP`), so a thread needs the interpreter
once per launch and not once per chunk. The calling thread takes part; the others are
kept from launch to launch. A launch does not wait for a helper that has not started.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cache
from queue import SimpleQueue

from spmd.lowering.native import NativeModule, compile_native

from spmd.runtime.errors import LaunchError

CHUNK_LOOP = """
define void @run_chunks(ptr %kernel, ptr %args, ptr %next, i64 %end, i64 %parts, ptr %scratch) {
entry:
  br label %look
look:
  %first = load atomic i64, ptr %next monotonic, align 8
  br label %take
take:
  %at = phi i64 [ %first, %look ], [ %seen, %claim ]
  %more = icmp slt i64 %at, %end
  br i1 %more, label %claim, label %done
claim:
  %left = sub i64 %end, %at
  %share = udiv i64 %left, %parts
  %small = icmp eq i64 %share, 0
  %count = select i1 %small, i64 1, i64 %share
  %last = add i64 %at, %count
  %exchanged = cmpxchg ptr %next, i64 %at, i64 %last monotonic monotonic, align 8
  %seen = extractvalue { i64, i1 } %exchanged, 0
  %won = extractvalue { i64, i1 } %exchanged, 1
  br i1 %won, label %run, label %take
run:
  call void %kernel(ptr %args, i64 %at, i64 %last, ptr %scratch)
  br label %look
done:
  ret void
}
"""
"""
Takes chunks of the groups `[*next, end)`: one `parts`th of what is left each time.

`next` is shared by the threads of a launch; chunks need no order, so the accesses are
relaxed.
"""

Args = bytes | int
"""Packed arguments, or their address."""

ChunkLoop = Callable[[int, Args, int, int, int, int | None], None]
"""`CHUNK_LOOP`: kernel, args, next, end, parts, scratch."""


@cache
def chunk_loop() -> ChunkLoop:
    """`CHUNK_LOOP` as a function that releases the interpreter lock."""
    prototype = CFUNCTYPE(
        None, c_void_p, c_void_p, c_void_p, c_int64, c_int64, c_void_p
    )
    return prototype(_chunk_code().address("run_chunks"))


@cache
def _chunk_code() -> NativeModule:
    """The owner of the code; it is never given back."""
    return compile_native(CHUNK_LOOP)


def available_threads() -> int:
    """`SPMD_NUM_THREADS`, else the number of CPUs this process may use."""
    text = os.environ.get("SPMD_NUM_THREADS")
    if text is None:
        return _allowed_cpus()
    try:
        threads = int(text)
    except ValueError:
        threads = 0
    if threads < 1:
        raise LaunchError(
            f"expected SPMD_NUM_THREADS as a whole number of at least 1, got {text!r}"
        )
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


def run_on_threads(work: Callable[[], None], threads: int, stop: Callable[[], None]):
    """
    Calls `work` on up to `threads` threads, the calling one included.

    `stop` makes the calls of `work` end early: when this thread is interrupted, the
    arrays must not be written after the exception has left.
    """
    job = Job(work)
    _pool.submit(job, threads - 1)
    try:
        work()
    except BaseException:
        stop()
        raise
    finally:
        _finish(job, stop)


def _finish(job: Job, stop: Callable[[], None]) -> None:
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
