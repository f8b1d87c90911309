"""
What native code and the runtime tell each other while a launch runs.

`lowering/writing/record.py` describes the record. Native code writes messages into it; the
runtime ends the launch with `stop`, or has the thread that launched call a function with
`attend`.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import (
    Structure,
    addressof,
    c_char_p,
    c_int64,
    c_uint64,
    c_void_p,
    cast,
    pythonapi,
)

from spmd.dialects.messages import MAX_VALUES
from spmd.lowering.writing.record import reported
from spmd.runtime.errors import LaunchError

_STOPPED = c_char_p(b"the launch was given up")
"""The message where there is more to say than text."""


class LaunchRecord(Structure):
    """The record of one launch."""

    _fields_ = [
        ("message", c_void_p),
        ("values", c_int64 * MAX_VALUES),
        ("attention", c_int64),
        ("ask", c_void_p),
        ("allocated", c_void_p),
        # The rest is for the function that `ask` points to.
        ("thread", c_uint64),
        ("raised", c_void_p * 3),
    ]

    name = ""
    """What is launched."""

    timeout: float | None = None
    """Seconds that the launch may take."""

    deadline: float | None = None
    """When it has to end, by `time.monotonic`."""

    waits: bool = False
    """Whether the thread that launched has done its share, and waits for others."""

    error: BaseException | None = None
    """Why the runtime has stopped it."""

    @property
    def address(self) -> int:
        """What native code is given."""
        return addressof(self)

    @property
    def stopped(self) -> bool:
        """Whether the launch was ended before all was done."""
        return self.message is not None

    def stop(self, error: BaseException) -> None:
        """Ends the launch at the next poll of each of its threads."""
        self.error = error
        self.message = cast(_STOPPED, c_void_p)
        self.attention = 1

    def attend(self, thread: int, ask: int) -> None:
        """Has `thread` call the function at `ask` at its next poll."""
        self.thread = thread
        self.ask = ask
        self.attention = 1

    def wait(self) -> None:
        """Spares polls the way to `ask`, as nobody is there any more who would attend."""
        self.waits = True
        self.attention = 0
        if self.stopped:
            self.attention = 1

    def clear(self) -> None:
        """Makes the record ready for another launch."""
        self.message = None
        self.attention = 0
        self.error = None
        self.raised[:] = (None, None, None)

    def take(self) -> str | None:
        """What native code says went wrong, if anything; the record is clear then."""
        if not self.stopped:
            return None
        message = c_char_p.from_address(self.address).value or b""
        text = reported(message, list(self.values))
        self.clear()
        return text

    def raise_error(self, failed: Callable[[str], LaunchError]) -> None:
        """
        Raises what has ended the launch, if anything has; the record is clear then.

        `failed` makes an error of what native code says.
        """
        if not self.stopped:
            return
        error, raised = self.error, tuple(self.raised)
        if error is None and not raised[0]:
            error = failed(self.take() or "")
        self.clear()
        if error is not None:
            raise error
        _restore(*raised)


_restore = pythonapi.PyErr_Restore
_restore.argtypes = (c_void_p, c_void_p, c_void_p)
_restore.restype = None
"""Raises the exception that it is given."""
