"""
Ends launches that take long: at Ctrl-C, or when their time is up.

A launch runs native code without the interpreter, on the thread that launched. Python's
signal handlers are functions of Python, which the main thread runs; while it is in native
code nobody does. So one more thread looks every `TICK` seconds at which launches run. What
the main thread launched is asked to attend to signals at its next poll (`record.py`). What
has a timeout that is over is stopped, and what other threads launched as well, once
Ctrl-C has come to the main thread.

A launch does little for this, being much shorter than a tick for the most part: it notes
which thread runs it, and the watcher knows all that could run. (It could find them on the
stacks of the threads, but Python 3.11 crashes now and then when one thread walks the stacks
of others.) While nothing is launched the watcher sleeps, and the next launch wakes it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import Any, cast
from weakref import WeakValueDictionary

from spmd.runtime.errors import LaunchTimeout
from spmd.runtime.launching.python_calls import attend_address
from spmd.runtime.launching.record import LaunchRecord

TICK = 0.04
"""Seconds between two looks; a launch answers to Ctrl-C in this and the time to a poll."""

_IDLE_TICKS = 25
"""After so many ticks without a launch the watcher sleeps: about a second."""

_known: WeakValueDictionary[int, Watched] = WeakValueDictionary()


class Watched:
    """What runs native code, and can be ended."""

    __slots__ = ("__weakref__", "maker", "record", "thread")

    def __init__(self, name: str, timeout: float | None):
        self.record = LaunchRecord()
        if timeout is not None:
            self.record.name, self.record.timeout = name, timeout
        self.thread = 0
        """Which thread runs it, if one does."""
        self.maker: LaunchRecord | None = None
        """That of the host function which has launched it: what ends this ends both."""
        _known[id(self)] = self


def _running() -> list[Watched]:
    """What runs now, host functions before what they have launched."""
    known = (reference() for reference in _known.valuerefs())
    running = [each for each in known if each is not None and each.thread]
    return sorted(running, key=lambda each: each.maker is not None)


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
        self._new_error()
        while True:
            self.asleep = idle > _IDLE_TICKS
            # A launch that did not see it fall asleep says that it runs by now.
            soonest = self._look()
            if soonest is not None:
                idle, self.asleep = 0, False
                self._wait(soonest)
            elif self.asleep:
                self._wait(None)
                self._new_error()
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
        running = _running()
        main = threading.main_thread().ident or 0
        interrupted = self._was_interrupted(main, running)
        now = time.monotonic()
        soonest = None
        for each in running:
            record = each.record
            soonest = min(soonest or TICK, TICK)
            error = record.error or (each.maker and each.maker.error)
            if error is None and interrupted and each.thread != main:
                error = KeyboardInterrupt()
            if error is None and record.deadline is not None:
                if record.deadline <= now:
                    error = _timeout(record)
                else:
                    soonest = min(soonest, record.deadline - now)
            if record.stopped:
                continue
            if error is not None:
                record.stop(error)
            elif each.thread == main and not record.waits:
                record.attend(main, attend_address())
        return soonest

    def _was_interrupted(self, main: int, running: Iterable[Watched]) -> bool:
        """
        Whether Ctrl-C has come to the main thread: it handles it, or ended by it.

        That matters if another thread runs something.
        """
        ended = isinstance(self._new_error(), KeyboardInterrupt)
        if all(each.thread == main for each in running):
            return False
        now: Any = sys._current_exceptions().get(main)  # pyright: ignore[reportPrivateUsage]
        if isinstance(now, tuple):  # before Python 3.12
            _, now, _ = cast(tuple[Any, Any, Any], now)
        return ended or isinstance(now, KeyboardInterrupt)

    def _new_error(self) -> object:
        """What has ended the main thread's last command, if that was since the last call."""
        last = getattr(sys, "last_value", None)
        before, self._last = self._last, id(last)
        return last if before != self._last else None


def _timeout(record: LaunchRecord) -> LaunchTimeout:
    return LaunchTimeout(
        f"{record.name}: expected the launch to be done within the timeout of "
        f"{record.timeout:g} s, it was not; what it has written stays"
    )


watcher = Watcher()


def _forget_threads() -> None:
    """A child of `fork` has none of its parent's threads."""
    watcher.__init__()
    own = threading.get_ident()
    for each in _running():
        if each.thread != own:
            each.thread = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
