"""What native code writes when a launch fails, and what it says to a user."""

from __future__ import annotations

from ctypes import Structure, addressof, c_char_p, c_int64

from spmd.dialects.messages import MAX_VALUES
from spmd.lowering.ops.assertions import reported


class Failure(Structure):
    """The record that `lowering/ops/assertions.py` describes."""

    _fields_ = [("message", c_char_p), ("values", c_int64 * MAX_VALUES)]

    @property
    def address(self) -> int:
        """What native code is given."""
        return addressof(self)

    def take(self) -> str | None:
        """What went wrong, if anything; the record is empty then."""
        message: bytes | None = self.message
        if message is None:
            return None
        self.message = None
        return reported(message, list(self.values))
