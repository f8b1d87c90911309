"""Which operands' memory an op accesses (MLIR: `MemoryEffectsOpInterface`, by value)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.interface import OpInterface


@dataclass(frozen=True)
class MemoryAccess(OpInterface):
    """The op accesses memory of some operands, and does nothing else to memory."""

    read: int | None = None
    """The operand whose memory it may read."""

    written: int | None = None
    """The operand whose memory it may write."""

    element: bool = False
    """Whether it accesses the one element whose indices are the operands after it."""

    atomic: bool = False
    """Whether others may access the element meanwhile. Other accesses may be ordered."""

    def reads(self, op: Operation) -> tuple[SSAValue, ...]:
        """The memory that `op` may read."""
        return () if self.read is None else (op.operands[self.read],)

    def writes(self, op: Operation) -> tuple[SSAValue, ...]:
        """The memory that `op` may write."""
        return () if self.written is None else (op.operands[self.written],)

    def indices(self, op: Operation) -> tuple[SSAValue, ...] | None:
        """The indices of the only element that `op` accesses."""
        if not self.element:
            return None
        first = self.read if self.read is not None else self.written
        assert first is not None
        return tuple(op.operands[first + 1 :])


@dataclass(frozen=True)
class MemoryHint(MemoryAccess):
    """
    The op says which element will be accessed, and does nothing: it may run where the
    source would not run it, and it may be left out.
    """

    operand: int = 0
    """The operand whose memory is meant; the indices follow it."""


def why_no_element(
    memory: SSAValue, indices: Sequence[SSAValue], what: str = "index"
) -> str | None:
    """Why there is not one of `indices` for each dimension of `memory`, a memref."""
    rank = cast(MemRefType[Attribute], memory.type).get_num_dims()
    if len(indices) == rank:
        return None
    return f"expected one {what} per dimension of {memory.type} ({rank}), got {len(indices)}"


def verify_indices(
    memory: SSAValue, indices: Sequence[SSAValue], what: str = "index"
) -> None:
    """Raise if there is a reason why `indices` name no element of `memory`."""
    if (why := why_no_element(memory, indices, what)) is not None:
        raise VerifyException(why)


def is_idempotent(op: Operation) -> bool:
    """Whether to run `op` several times with the same operands is to run it once."""
    access = MemoryAccess.of(op)
    return (
        not access.atomic
        if access is not None
        else FunctionOfOperands.of(op) is not None
    )


def loaded_memory(op: Operation) -> SSAValue | None:
    """The memory that a load reads, which writes none."""
    access = MemoryAccess.of(op)
    if access is None or access.read is None or access.written is not None:
        return None
    return op.operands[access.read]


def stored_memory(op: Operation) -> SSAValue | None:
    """The memory that a store writes, which reads none."""
    access = MemoryAccess.of(op)
    if access is None or access.written is None or access.read is not None:
        return None
    return op.operands[access.written]
