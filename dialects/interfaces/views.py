"""Ops whose result is memory that they got or found (MLIR: `ViewLikeOpInterface`)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.dialects.interfaces.computation import FunctionOfOperands


@dataclass(frozen=True)
class ViewLike(FunctionOfOperands):
    """The first result, if it is a memref, is memory of one of the operands `sources`."""

    sources: tuple[int, ...] = (0,)
    """Several for a choice between memrefs, none for a global."""


def makes_view(op: Operation) -> bool:
    """Whether `op` gives memory that it got or found."""
    return ViewLike.of(op) is not None and isinstance(op.results[0].type, MemRefType)


def viewed_memories(memory: SSAValue) -> tuple[SSAValue, ...]:
    """The memrefs one of which `memory` is a view of; none if it is not a view."""
    owner = memory.owner
    view = ViewLike.of(owner)
    if view is None:
        return ()
    assert isinstance(owner, Operation)
    return tuple(owner.operands[source] for source in view.sources)


def viewed_memory(memory: SSAValue) -> SSAValue | None:
    """The memref that `memory` is a view of, if there is one and no choice."""
    viewed = viewed_memories(memory)
    return viewed[0] if len(viewed) == 1 else None


def underlying_object(memory: SSAValue) -> SSAValue:
    """
    What `memory` is a view of: an argument, an allocation, a global, a choice, ...

    As `getUnderlyingObject` of LLVM.
    """
    while (source := viewed_memory(memory)) is not None:
        memory = source
    return memory
