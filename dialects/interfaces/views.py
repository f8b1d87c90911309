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

    def viewed(self, op: Operation) -> tuple[SSAValue, ...]:
        """The memrefs one of which the result of `op` is memory of."""
        return tuple(op.operands[source] for source in self.sources)


def makes_view(op: Operation) -> bool:
    """Whether `op` gives memory that it got or found."""
    return ViewLike.of(op) is not None and isinstance(op.results[0].type, MemRefType)


def viewed_memory(memory: SSAValue) -> SSAValue | None:
    """The memref that `memory` is a view of, if there is one and no choice."""
    owner = memory.owner
    view = ViewLike.of(owner)
    if view is None or len(view.sources) != 1:
        return None
    assert isinstance(owner, Operation)
    return owner.operands[view.sources[0]]


def underlying_object(memory: SSAValue) -> SSAValue:
    """
    What `memory` is a view of: an argument, an allocation, a global, a choice, ...

    As `getUnderlyingObject` of LLVM.
    """
    while (source := viewed_memory(memory)) is not None:
        memory = source
    return memory
