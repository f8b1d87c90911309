"""Which function writes which op: one emitter per op, found by the op's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Operation

if TYPE_CHECKING:
    from spmd.lowering.writing.function_writer import FunctionWriter

OpT = TypeVar("OpT", bound=Operation)

Emitter = Callable[[Any, Any], None]
"""Takes the writer of the function, and the op."""

EMITTERS: dict[str, Emitter] = {}
"""
By name and not by class, so that an op that `dialects/compat` adds and the same op in a
later xDSL share their emitter.
"""


def emits(
    *ops: type[OpT],
) -> Callable[
    [Callable[[FunctionWriter, OpT], None]], Callable[[FunctionWriter, OpT], None]
]:
    """Declares a function as the emitter of the given op classes."""
    return emits_named(*(op.name for op in ops))


def emits_named(*names: str) -> Callable[[Emitter], Emitter]:
    """Declares a function as the emitter of ops that xDSL may not have."""

    def register(emitter: Emitter) -> Emitter:
        for name in names:
            assert name not in EMITTERS, f"{name} has two emitters"
            EMITTERS[name] = emitter
        return emitter

    return register
