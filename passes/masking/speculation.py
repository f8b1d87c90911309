"""What may run in lanes that do not want it, and what is better skipped."""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.memory.accesses import is_inside
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.enclosing import is_terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.cost import is_library_function, lanes_cost
from spmd.dialects.interfaces.memory import MemoryHint
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import (
    Scope,
    SubGroupQueryOp,
    convergence_of,
    ends_launch,
)
from spmd.dialects.work_groups import is_private
from spmd.passes.targets import SKIP_ABOVE


def needs_mask(op: Operation) -> bool:
    """
    Whether `op` must know which lanes are active.

    Accesses may fault, integer divisions trap, functions of the math library are slow
    on garbage. Everything else computes garbage from garbage.
    """
    if may_trap(op) or is_library_function(op):
        return True
    if isinstance(op, SubGroupQueryOp) or MemoryHint.of(op) is not None:
        return False
    if isinstance(op, memref.LoadOp) and is_dereferenceable(op.memref):
        # At a constant index there is always something to load.
        return any(constant_index(index) is None for index in op.indices)
    return FunctionOfOperands.of(op) is None and not _is_view(op)


def is_dereferenceable(array: SSAValue) -> bool:
    """Whether each work-item has an array of its own with static sizes."""
    type_ = array.type
    return is_private(array) and isa(type_, MemRefType) and type_.has_static_shape()


def _is_view(op: Operation) -> bool:
    return any(isinstance(r.type, MemRefType) for r in op.results)


class Skips:
    """Which branches of a sub-group are skipped; each is looked at once, before it changes."""

    def __init__(self, divergence: Divergence, ranges: IntegerRanges):
        self._divergence, self._ranges = divergence, ranges
        self._known: dict[Block, int | str] = {}

    def why_skip(self, block: Block, limit: int = SKIP_ABOVE) -> str | None:
        """Why `block` must run only where some lane is active, or had better; else `None`."""
        if block not in self._known:
            self._known[block] = self._cost_or_reason(block)
        match self._known[block]:
            case str(reason):
                return reason
            case cost:
                return "it is long" if cost > limit else None

    def _cost_or_reason(self, block: Block) -> int | str:
        """What `block` costs in all lanes, or why it must not run in all of them."""
        is_uniform = self._divergence.is_uniform
        if ends_launch(block):
            return "it ends the launch"
        cost = 0
        for op in block.ops:
            if is_terminator(op):
                continue
            if op.regions:
                if not isinstance(op, scf.IfOp) or not self._divergence.is_divergent(
                    op
                ):
                    return f"it contains a uniform {op.name} or a loop"
                for region in op.regions:
                    for inner in region.blocks:
                        if self.why_skip(inner) is None:
                            cost += sum(map(lanes_cost, inner.ops))
                continue
            if convergence_of(op) is Scope.SUB_GROUP:
                return f"it contains a {op.name}"
            if isinstance(op, memref.LoadOp | memref.StoreOp):
                if all(map(is_uniform, op.indices)) and not self._is_of_each(op):
                    return f"it contains a {op.name} of a uniform element"
            elif needs_mask(op) and all(map(is_uniform, op.operands)):
                return f"it contains a uniform {op.name}"
            cost += lanes_cost(op)
        return cost

    def _is_of_each(self, op: memref.LoadOp | memref.StoreOp) -> bool:
        """Whether each lane accesses an element of its own that always exists."""
        return (
            is_dereferenceable(op.memref)
            and is_inside(op, self._ranges)
            and not any(map(self._divergence.is_uniform, op.results))
        )
