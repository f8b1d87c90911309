"""How the interpreter says that a program has no meaning, or was called wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation

from spmd.dialects.diagnostics import SourceLocation, source_location


class Event(NamedTuple):
    """At an op, if any, `who` did `what`."""

    op: Operation | None
    who: str
    what: str


class ArgumentError(ValueError):
    """The arguments, sizes or options of a run do not fit the function."""


class Trap(Exception):
    """Raised by compiled code; `site` names the op. Becomes an `UndefinedBehavior`."""

    def __init__(self, site: int, message: str):
        super().__init__(message)
        self.site = site
        self.message = message


class UndefinedBehavior(ValueError):
    """The program did something that the language gives no meaning."""

    def __init__(
        self,
        message: str,
        op: Operation | None,
        where: str = "",
        *,
        item: object = None,
        others: Sequence[Event] = (),
    ):
        self.message = message
        self.op = op
        self.where = where
        self.item = item
        """The work-item, if it was one."""
        self.others = others
        """Who is not where they should be."""
        self.location: SourceLocation | None = (
            None if op is None else source_location(op)
        )
        text = message if self.location is None else f"{self.location}: {message}"
        if op is not None:
            text += f" [{op.name}]"
        if where:
            text += f" in {where}"
        super().__init__(text)
