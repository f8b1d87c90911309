"""
A function that can wait in the midst of itself.

It runs in a thread of its own, which debuggers know, but only while whoever resumed it waits:
one of all of them runs at a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from threading import Semaphore, Thread, get_ident
from typing import Any, Generic, TypeVar

R = TypeVar("R")

FIBER = "spmd-work-item"
"""The name of its thread."""


class _Abandoned(BaseException):
    """Ends a fiber that nobody will resume."""


class Fiber(Generic[R]):
    """A call of `function`; `request` is what it waits with, `None` if it has ended."""

    def __init__(self, function: Callable[[Fiber[R]], None]):
        self._function = function
        self._turn, self._back = Semaphore(0), Semaphore(0)
        self._thread: Thread | None = None
        self._answer: Any = None
        self._abandoned = False
        self._error: BaseException | None = None
        self.request: R | None = None

    def resume(self, answer: Any = None) -> None:
        """Runs it until it waits or ends; raises what it raises."""
        self._answer, self.request = answer, None
        if self._thread is None:
            self._thread = Thread(target=self._run, name=FIBER, daemon=True)
            self._thread.start()
        self._turn.release()
        self._back.acquire()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def wait(self, request: R) -> Any:
        """In the fiber: gives `request` to whoever resumed it, and gets an answer."""
        assert self._thread is not None
        assert self._thread.ident == get_ident(), "only the fiber itself can wait"
        self.request = request
        self._back.release()
        self._turn.acquire()
        if self._abandoned:
            raise _Abandoned
        return self._answer

    def abandon(self) -> None:
        """Ends it, wherever it is."""
        self._abandoned = True
        if self._thread is not None and self._thread.ident is not None:
            # It may be running, if Ctrl-C came meanwhile.
            raised = ctypes.py_object(_Abandoned)
            thread = ctypes.c_ulong(self._thread.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, raised)
            self._turn.release()

    def _run(self) -> None:
        try:
            self._turn.acquire()
            if not self._abandoned:
                self._function(self)
        except _Abandoned:
            pass
        except BaseException as error:
            self._error = error
        finally:
            self._back.release()
