"""What an op means: in LLVM IR, and to the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spmd.dialects.interfaces.interface import OpInterface


@dataclass(frozen=True)
class Emission(OpInterface):
    """
    How the op is written as LLVM IR.

    `emit` gets the `FunctionWriter` and the op. It writes instructions with the writer's
    `emit` and `temp`, takes operands by `get` (or `memref`), and gives each result by
    `define` or `set`. An elementwise op is written on vectors too: `type_of` says of which
    LLVM type a value is.
    """

    emit: Callable[[Any, Any], None]
    may_fail: bool = False
    """Whether it may end the launch: the function gets `writer.failed` for this."""


@dataclass(frozen=True)
class Meaning(OpInterface):
    """
    What the op does in the reference interpreter.

    `write` gets the `Body` of a Python function and the op, and appends statements.
    """

    write: Callable[[Any, Any], None]
