"""
How far a run in the interpreter is, for who waits for it, and its end when time is up.

A thread looks at the run from time to time. On a terminal it says how much is done and about
how long the rest takes. To end the run it raises an exception in the thread that runs it,
which is possible between any two steps of Python's own interpreter, also in endless loops.
"""

from __future__ import annotations

import sys
import threading
from ctypes import c_ulong, py_object, pythonapi
from time import monotonic
from typing import Self

_TICK = 0.5
"""Seconds between two looks."""

_SILENT = 1.0
"""Seconds in which nothing is said: nobody waits for so short a run."""

_raise_in = pythonapi.PyThreadState_SetAsyncExc
_raise_in.argtypes = (c_ulong, py_object)


class TimeIsUp(BaseException):
    """Raised in a run that takes too long."""


class Clock:
    """Looks at a run; a context manager around it."""

    def __init__(self, name: str, timeout: float | None):
        self.done = 0
        """Work-items that are done, of `total`."""
        self.total = 0
        """Of all launches that have begun."""
        self._name = name
        self._start = monotonic()
        self._deadline = None if timeout is None else self._start + timeout
        stream = sys.stderr  # None if it is closed
        self._shows = stream is not None and stream.isatty()  # pyright: ignore[reportUnnecessaryComparison]
        self._said = False
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._late = False
        self._runs = threading.get_ident()

    def __enter__(self) -> Self:
        if self._shows or self._deadline is not None:
            threading.Thread(target=self._watch, name="spmd-clock", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._lock:
            self._over.set()
            if self._late and kind is not TimeIsUp:
                # It ended by itself before it was told to.
                _raise_in(self._runs, py_object())
        if self._said:
            self._say("")

    def _watch(self) -> None:
        while not self._over.wait(self._wait()):
            if self._deadline is not None and monotonic() >= self._deadline:
                with self._lock:
                    if not self._over.is_set():
                        self._late = True
                        _raise_in(self._runs, TimeIsUp)
                return
            if self._shows and monotonic() - self._start > _SILENT:
                self._said = True
                self._say(self._progress())

    def _wait(self) -> float:
        if self._deadline is None:
            return _TICK
        return max(0.0, min(_TICK, self._deadline - monotonic()))

    def _progress(self) -> str:
        text = f"@{self._name}: {self.done} of {self.total} work-items checked"
        if self.done:
            taken = monotonic() - self._start
            text += f", some {taken * (self.total - self.done) / self.done:.0f} s more"
        return text

    def _say(self, text: str) -> None:
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
