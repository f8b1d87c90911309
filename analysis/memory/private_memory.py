"""
What loads give: memory that work-items share, and the private memory of each.

*Shared memory.* All lanes that execute a load together read the same element if they
have the same address, unless another work-item may write it at that time. A legal
program has no such race but for atomics: a load from memory that an atomic operation may
change is varying in a work-group, whose work-items run at different times. So is a load
from memory written at all if some work-items pass a barrier in an iteration in which
others do not: then "the same iteration" says nothing about time. In a sub-group all
lanes load at once, and none of this matters.

*Private memory.* Every work-item has its own copy of an alloca, so that a load at a
uniform address gives each lane the element of its own copy. What that may be is the
business of `analysis/memory/alloca_ssa.py`; a use that is not understood makes it varying.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, UnregisteredOp
from xdsl.ir import Operation, SSAValue

from spmd.analysis.memory.accesses import may_overlap
from spmd.dialects.interfaces.control_flow import RegionBranch
from spmd.dialects.interfaces.memory import (
    MemoryAccess,
    loaded_memory,
    stored_memory,
)
from spmd.dialects.interfaces.views import underlying_object, viewed_memory

ALLOCATIONS = frozenset[type[Operation]]((memref.AllocaOp, memref.AllocOp))


@dataclass(eq=False)
class PrivateObject:
    """One alloca inside of the analysed code, and all that touches it."""

    allocation: SSAValue
    loads: list[Operation] = field(default_factory=list[Operation])
    stores: list[Operation] = field(default_factory=list[Operation])
    escapes: Operation | None = None
    """A use that may write anything to it."""


@dataclass
class Memory:
    """The private objects of some code, and what may change shared memory under it."""

    objects: dict[SSAValue, PrivateObject] = field(
        default_factory=dict[SSAValue, PrivateObject]
    )
    atomics: list[SSAValue] = field(default_factory=list[SSAValue])
    writes: list[SSAValue] = field(default_factory=list[SSAValue])
    unknown: Operation | None = None
    """An operation that may synchronise with other work-items."""

    def object_of(self, memory: SSAValue) -> PrivateObject | None:
        """The private object that a memref is a view of."""
        return self.objects.get(underlying_object(memory))

    def is_atomic(self, memory: SSAValue) -> bool:
        """Whether another work-item may change `memory` without a race."""
        return self.unknown is not None or any(
            may_overlap(memory, other) for other in self.atomics
        )

    def is_written(self, memory: SSAValue) -> bool:
        """Whether the code may write `memory` at all."""
        return self.unknown is not None or any(
            may_overlap(memory, other) for other in self.writes
        )


def memory_of(operations: Sequence[Operation]) -> Memory:
    """Find the private objects of `operations`, and who reads and writes memory."""
    memory = Memory()
    for op in operations:
        if type(op) in ALLOCATIONS:
            result = op.results[0]
            memory.objects[result] = PrivateObject(result)
    for op in operations:
        _add(memory, op)
    return memory


def _is_hidden(op: Operation, allocation: SSAValue) -> bool:
    """Whether a use stands in an operation that runs its regions in an unknown order."""
    home = allocation.owner.parent_op()
    around = op.parent_op()
    while around is not None and around is not home:
        if RegionBranch.of(around) is None:
            return True
        around = around.parent_op()
    return False


def _add(memory: Memory, op: Operation) -> None:
    access = MemoryAccess.of(op)
    if (
        (op.results and viewed_memory(op.results[0]) is not None)
        or (access is not None and access.read is None and access.written is None)
        or type(op) is memref.DeallocOp
    ):
        return
    if op.name == "func.call" or isinstance(op, UnregisteredOp):
        memory.unknown = op
    loaded, stored = loaded_memory(op), stored_memory(op)
    for operand in op.operands:
        if type(operand.type) is not MemRefType:
            continue
        private = memory.object_of(operand)
        if private is not None and _is_hidden(op, private.allocation):
            private.escapes = op
        if operand is loaded:
            if private is not None:
                private.loads.append(op)
        elif operand is stored:
            if private is not None:
                private.stores.append(op)
            else:
                memory.writes.append(operand)
        else:
            if private is not None:
                private.escapes = op
            if access is not None and access.atomic:
                memory.atomics.append(operand)
            memory.writes.append(operand)
