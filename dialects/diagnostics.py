"""
How passes and analyses tell a user that a kernel cannot be compiled.

A message says what is wrong, where, and what to do, in one paragraph: "expected X, got
Y", lower case, no full stop. The location stands in the exception, not in the text, so
that the stock `xdsl-opt` and the Python API can each show it in their own way.
"""

from __future__ import annotations

from typing import NoReturn

from xdsl.dialects.builtin import FileLineColLoc, StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException


class SourceLocation(tuple[str, int, int]):
    """File, line and column (from 1) of an operation; prints as `file:line:column`."""

    __slots__ = ()

    def __str__(self) -> str:
        return ":".join(str(part) for part in self)


class KernelError(PassFailedException):
    """
    A kernel that cannot be compiled.

    `op` is the operation at fault, if there is one; a frontend may give the `location`.
    """

    def __init__(
        self,
        message: str,
        op: Operation | None = None,
        location: SourceLocation | None = None,
    ):
        if op is not None:
            location = source_location(op)
        name = None if op is None else _symbol_around(op)
        places = (location, name and f"@{name}", message)
        super().__init__(": ".join(str(part) for part in places if part is not None))
        self.message = message
        self.op = op
        self.location = location


def source_location(op: Operation) -> SourceLocation | None:
    """Where `op`, or the nearest op around it that knows, stood in the source."""
    at: Operation | None = op
    while at is not None:
        if isinstance(at.location, FileLineColLoc):
            loc = at.location
            return SourceLocation((loc.filename.data, loc.line.data, loc.column.data))
        at = at.parent_op()
    return None


def _symbol_around(op: Operation) -> str | None:
    """The name of the kernel or function that `op` is in, or is."""
    around: Operation | None = op
    while around is not None:
        name = around.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr):
            return name.data
        around = around.parent_op()
    return None


def fail(op: Operation, message: str) -> NoReturn:
    """Raise a `KernelError` about `op`."""
    raise KernelError(message, op)
