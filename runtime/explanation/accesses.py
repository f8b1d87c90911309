"""Memory accesses, read in the vector code of one sub-group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import cast

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.diagnostics import source_location
from spmd.dialects.interfaces.memory import MemoryAccess, loaded_memory, stored_memory
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.work_groups import CONTEXT, GROUP_MEMORY, LIKELY
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS, WHY
from spmd.runtime.explanation.facts import (
    Accesses,
    AccessKind,
    CostlyAccess,
    Place,
)


def accesses_of(
    code: Iterable[Operation],
) -> tuple[Accesses, tuple[CostlyAccess, ...]]:
    """How the code for one sub-group accesses memory that is no context, and what costs."""
    counts: Counter[str] = Counter()
    costly: dict[CostlyAccess, None] = {}
    for op in code:
        remark = op.attributes.get(ACCESS)
        kind = remark.data if isinstance(remark, StringAttr) else None
        if kind is None and (_is_plain_part(op) or _is_rare(op)):
            continue
        if kind is None:
            access = MemoryAccess.of(op)
            if access is not None and _memory(op) is not None:
                counts["uniform" if access.element else "contiguous"] += 1
                counts["masked"] += _is_masked(op)
            continue
        if kind in ("blend", "row", "version"):
            continue  # A part, or a version, of an access that is counted.
        why = op.attributes.get(WHY)
        access = CostlyAccess(
            cast(AccessKind, kind),
            why.data if isinstance(why, StringAttr) else "",
            _is_masked(op),
            Place.of(source_location(op)),
        )
        counts[kind.replace(" ", "_")] += 1
        counts["masked"] += access.masked
        costly[access] = None
    return Accesses(**counts), tuple(costly)


def _is_rare(op: Operation) -> bool:
    """Whether `op` stands beside what most sub-groups do."""
    block = op.parent
    while block is not None and (around := block.parent_op()) is not None:
        if LIKELY in around.attributes and block.parent is not around.regions[0]:
            return True
        block = around.parent
    return False


def _is_plain_part(op: Operation) -> bool:
    """Whether the access is to a context, or to a private array of the work-item."""
    memory = _memory(op)
    if memory is None:
        return False
    owner = underlying_object(memory).owner
    if not isinstance(owner, Operation):
        # Contexts that are large lie in a buffer of the thread.
        return any(CONTEXT in view.attributes for view in _views(memory))
    if CONTEXT in owner.attributes:
        return True
    return (
        isinstance(owner, memref.AllocaOp | memref.AllocOp)
        and GROUP_MEMORY not in owner.attributes
    )


def _views(memory: SSAValue) -> Iterator[Operation]:
    while isinstance(owner := memory.owner, Operation) and owner.operands:
        yield owner
        memory = owner.operands[0]


def _memory(op: Operation) -> SSAValue | None:
    loaded = loaded_memory(op)
    return stored_memory(op) if loaded is None else loaded


def _is_masked(op: Operation) -> bool:
    match op:
        case vector.MaskedLoadOp() | vector.MaskedStoreOp():
            return True
        case GatherOp() | ScatterOp():
            return not isinstance(op.mask.owner, arith.ConstantOp)
        case _:
            return False
