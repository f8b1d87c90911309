"""
Ends launches that take long: at Ctrl-C, or when their time is up.

A launch runs native code without the interpreter, on the thread that launched. Python's
signal handlers are functions of Python, which the main thread runs; while it is in native
code nobody does. So one more thread looks every `TICK` seconds at which launches run. What
the main thread launched is asked to attend to signals at its next poll (`record.py`). What
has a timeout that is over is stopped, and what other threads launched as well, once
Ctrl-C has come to the main thread.

A launch does nothing for this, being much shorter than a tick for the most part: the
watcher finds it on the stack of its thread. While nothing is launched it sleeps, and the
next launch wakes it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from types import CodeType, FrameType
from typing import Any, TypeVar, cast

from spmd.runtime.errors import LaunchTimeout
from spmd.runtime.launching.python_calls import attend_address
from spmd.runtime.launching.record import LaunchRecord

TICK = 0.04
"""Seconds between two looks; a launch answers to Ctrl-C in this and the time to a poll."""

_IDLE_TICKS = 25
"""After so many ticks without a launch the watcher sleeps: about a second."""

_WATCHED: set[CodeType] = set()

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


def watched(function: FunctionT) -> FunctionT:
    """
    Declares a function that runs native code.

    Its variable `record`, or that of its `self`, is that of the launch.
    """
    _WATCHED.add(function.__code__)
    return function


def _records(frame: FrameType | None) -> Iterator[LaunchRecord | None]:
    """Of each watched function on a stack its record, the innermost first."""
    while frame is not None:
        if frame.f_code in _WATCHED:
            variables = frame.f_locals
            yield variables.get("record") or getattr(
                variables.get("self"), "record", None
            )
        frame = frame.f_back


class Watcher:
    """The thread that looks after launches; there is one in the process."""

    __slots__ = ("_calls", "_last", "_lock", "_thread", "asleep")

    def __init__(self) -> None:
        self.asleep = True
        """Whether a launch has to wake the watcher."""
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        # Not an `Event`: Ctrl-C in the midst of its methods leaves it locked.
        self._calls: SimpleQueue[None] = SimpleQueue()
        self._last = 0

    def wake(self) -> None:
        """Makes it look at once, and then every tick."""
        with self._lock:
            if self._thread is None:
                attend_address()
                thread = threading.Thread(
                    target=self._watch, name="spmd-watcher", daemon=True
                )
                thread.start()
                self._thread = thread
            self.asleep = False
        self._calls.put(None)

    def limit(self, record: LaunchRecord) -> None:
        """Begins to measure the time that a launch may take, if it may not take any."""
        if record.timeout is not None:
            record.deadline = time.monotonic() + record.timeout
            self.wake()

    def _watch(self) -> None:
        idle = 0
        while True:
            self.asleep = idle > _IDLE_TICKS
            # A launch that did not see it fall asleep is on a stack by now.
            soonest = self._look()
            if soonest is not None:
                idle, self.asleep = 0, False
                self._wait(soonest)
            elif self.asleep:
                self._wait(None)
                idle = 0
            else:
                self._wait(TICK)
                idle += 1

    def _wait(self, seconds: float | None) -> None:
        """Waits for a call, or so long."""
        with contextlib.suppress(Empty):
            self._calls.get(timeout=seconds)
            while True:
                self._calls.get_nowait()

    def _look(self) -> float | None:
        """Looks after all launches; seconds until the next look, if there are any."""
        main = threading.main_thread().ident or 0
        interrupted = self._was_interrupted(main)
        now = time.monotonic()
        soonest = None
        for thread, frame in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]
            found = [*_records(frame)]
            if not found:
                continue
            soonest = min(soonest or TICK, TICK)
            error = KeyboardInterrupt() if interrupted and thread != main else None
            # What ends a launch ends those that it has made.
            for record in filter(None, reversed(found)):
                error = error or record.error
                if error is None and record.deadline is not None:
                    if record.deadline <= now:
                        error = _timeout(record)
                    else:
                        soonest = min(soonest, record.deadline - now)
                if error is not None:
                    if not record.stopped:
                        record.stop(error)
                elif thread == main and frame.f_code in _WATCHED:
                    record.attend(main, attend_address())
        return soonest

    def _was_interrupted(self, main: int) -> bool:
        """Whether Ctrl-C has come to the main thread: it handles it, or ended by it."""
        now: Any = sys._current_exceptions().get(main)  # pyright: ignore[reportPrivateUsage]
        if isinstance(now, tuple):  # before Python 3.12
            _, now, _ = cast(tuple[Any, Any, Any], now)
        last = getattr(sys, "last_value", None)
        is_new, self._last = id(last) != self._last, id(last)
        return isinstance(now, KeyboardInterrupt) or (
            is_new and isinstance(last, KeyboardInterrupt)
        )


def _timeout(record: LaunchRecord) -> LaunchTimeout:
    return LaunchTimeout(
        f"{record.name}: expected the launch to be done within the timeout of "
        f"{record.timeout:g} s, it was not; what it has written stays"
    )


watcher = Watcher()

if hasattr(os, "register_at_fork"):
    # A child of `fork` has none of its parent's threads.
    os.register_at_fork(after_in_child=watcher.__init__)
