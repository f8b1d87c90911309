"""Which function writes which op: an op's `Emission`, declared beside the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Operation

from spmd.dialects.interfaces.meaning import Emission

if TYPE_CHECKING:
    from spmd.lowering.writing.function_writer import FunctionWriter

OpT = TypeVar("OpT", bound=Operation)

Emitter = Callable[[Any, Any], None]
"""Takes the writer of the function, and the op."""


def emits(
    *ops: type[OpT], may_fail: bool = False
) -> Callable[
    [Callable[[FunctionWriter, OpT], None]], Callable[[FunctionWriter, OpT], None]
]:
    """Declares a function as the emitter of the given op classes."""
    return emits_named(*(op.name for op in ops), may_fail=may_fail)


def emits_named(*names: str, may_fail: bool = False) -> Callable[[Emitter], Emitter]:
    """Declares a function as the emitter of ops that xDSL may not have."""

    def register(emitter: Emitter) -> Emitter:
        Emission(emitter, may_fail).attach(*names)
        return emitter

    return register
