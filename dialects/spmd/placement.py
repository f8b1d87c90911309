"""Rules on where an op of the dialect may stand."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException


def nearest(op: Operation, name: str) -> Operation | None:
    """The nearest op of that name around `op`."""
    at = op.parent_op()
    while at is not None and at.name != name:
        at = at.parent_op()
    return at


def expect_inside_function(op: Operation) -> None:
    """Raise if `op` stands in a module with no kernel or function between."""
    if isinstance(op.parent_op(), ModuleOp):
        raise VerifyException(
            f"expected {op.name} inside a kernel or function, got it at module level"
        )
