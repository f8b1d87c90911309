"""What an operation stands in."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

OpT = TypeVar("OpT", bound=Operation)


def enclosing(op: Operation, kind: type[OpT]) -> OpT | None:
    """The innermost operation of a kind around `op`."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, kind):
        parent = parent.parent_op()
    return parent


def function_around(op: Operation) -> FuncOp:
    """The function of `op`, which stands in one."""
    function = enclosing(op, FuncOp)
    assert function is not None, f"{op.name} stands in a function"
    return function
