"""Which ops do what they do for all lanes at once, and which run in one lane after the other."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import cf, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.control_flow import RegionTerminator, decisions
from spmd.dialects.interfaces.memory import MemoryHint
from spmd.dialects.interfaces.views import makes_view, viewed_memories
from spmd.dialects.spmd import AtomicRmwOp, FailOp
from spmd.dialects.spmd.atomics import AtomicKind
from spmd.dialects.spmd.types import is_float
from spmd.dialects.work_groups import is_group_memory, is_private

IsUniform = Callable[[SSAValue], bool]
"""Whether all active lanes have the same number."""


def has_vector_form(op: Operation, is_uniform: IsUniform) -> bool:
    """Whether `op` becomes code for all lanes at once."""
    match op:
        case memref.LoadOp() | memref.StoreOp():
            return not differs(op.memref, is_uniform)
        case AtomicRmwOp():
            return why_not_combined(op, is_uniform) is None
        case memref.AllocaOp() | cf.AssertOp() | FailOp():
            return True
        case _:
            return (
                FunctionOfOperands.of(op) is not None
                or MemoryHint.of(op) is not None
                or RegionTerminator.of(op) is not None
                or bool(decisions(op))
            )


def why_lane_by_lane(op: Operation) -> str:
    """Why `op` runs in one lane after the other, if it does."""
    match op:
        case memref.LoadOp() | memref.StoreOp():
            return f"{op.name} goes to an array that differs between work-items"
        case AtomicRmwOp():
            reason = why_not_combined(op, lambda _: False)
            return f"{op.name} has no vector form, as {reason}"
        case _ if makes_view(op) or FunctionOfOperands.of(op) is not None:
            return f"{op.name} is of an array that differs between work-items"
        case _:
            return f"{op.name} has no vector form"


def why_not_combined(op: AtomicRmwOp, is_uniform: IsUniform) -> str | None:
    """Why the updates of all active lanes cannot be done in one."""
    kind = op.kind.data
    if kind is AtomicKind.EXCHANGE:
        return "each lane gets what the one before stored"
    if is_float(op.value.type) and kind in (AtomicKind.ADD, AtomicKind.SUB):
        return "sums of floats depend on the order"
    own = is_private(op.memref) or differs(op.memref, is_uniform)
    if own or not all(map(is_uniform, op.indices)):
        return "lanes may update different elements"
    return None


def differs(array: SSAValue, is_uniform: IsUniform) -> bool:
    """
    Whether lanes have different memrefs that are seen as a whole.

    A private array that only loads and stores access is seen by its elements.
    """
    owner = array.owner
    if isinstance(owner, memref.AllocaOp):
        return False
    for memory in reachable((array,), viewed_memories):
        owner = memory.owner
        if isinstance(owner, memref.AllocaOp) and not is_group_memory(owner):
            return True
        if isinstance(owner, Operation) and makes_view(owner):
            numbers = (v for v in owner.operands if not isinstance(v.type, MemRefType))
            if not all(map(is_uniform, numbers)):
                return True
    return False
