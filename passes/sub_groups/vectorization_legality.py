"""
Why a work-item loop must stay scalar.

Asked before anything is rewritten: what is allowed here, the later steps of `vectorize`
can express. Nothing but the loop and what it uses is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import is_outside, used_from_outside
from spmd.dialects.interfaces.control_flow import RegionTerminator, decisions
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.interfaces.views import makes_view, viewed_memories
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import needs_sub_groups
from spmd.dialects.work_groups import is_group_memory, is_work_item_loop


def why_not_vectorizable(loop: scf.ForOp) -> str | None:
    """Why the iterations of `loop` cannot become lanes; `None` if they can."""
    if loop.iter_args:
        return "it carries values from one work-item to the next"
    if constant_index(loop.step) != 1:
        return "its step is not the constant 1"
    if not isinstance(loop.lb.type, IndexType):
        return f"its work-items are counted in {loop.lb.type}, not in index"
    return _Legality(loop).why_not()


def expect_lanes(loop: scf.ForOp) -> None:
    """
    Fails where masks cannot be made for the lanes of `loop`, which has sub-group ops.

    Less is asked for than by `why_not_vectorizable`: loops over lanes run anything else.
    """
    for op in loop.body.walk():
        if is_work_item_loop(op):
            continue
        if op.regions and not decisions(op) and any(map(needs_sub_groups, op.walk())):
            fail(
                op,
                f"expected structured control flow (scf.if, index_switch, for, while) "
                f"around sub-group operations, got {op.name}",
            )
        reason = _why_not_control(op, is_item_type) if op.regions else None
        if isinstance(op, memref.AllocaOp):
            reason = _why_not_array_of_lane(op)
        if reason is not None:
            fail(op, f"expected lanes of a sub-group to run in lock step, but {reason}")


def _why_not_array_of_lane(op: memref.AllocaOp) -> str | None:
    type_ = op.memref.type
    assert isa(type_, MemRefType)
    if not isinstance(type_.layout, NoneAttr):
        return f"a private array has the layout {type_.layout}"
    if not is_lane_type(type_.element_type):
        return f"a private array has elements of type {type_.element_type}"
    return None


class _Legality:
    def __init__(self, loop: scf.ForOp):
        self._loop = loop

    def why_not(self) -> str | None:
        return self._why_not_block(self._loop.body.block)

    def _why_not_block(self, block: Block) -> str | None:
        for op in block.ops:
            if (reason := self._why_not_op(op)) is not None:
                return reason
            for inner in _blocks_in_step(op):
                if (reason := self._why_not_block(inner)) is not None:
                    return reason
        return None

    def _why_not_op(self, op: Operation) -> str | None:
        """Why neither vectors nor a loop over lanes can do `op`."""
        match op:
            case memref.AllocaOp():
                return _why_not_array_of_lane(op)
            case _ if RegionTerminator.of(op) is not None:
                return None
            case _ if Ordered.of(op) is not None:
                return f"{op.name} shows in which order work-items run"
            case _ if op.regions and decisions(op):
                return _why_not_control(op, is_lane_type)
            case _:
                return self._why_not_values(op) or _why_not_alone(op)

    def _why_not_values(self, op: Operation) -> str | None:
        for value in used_from_outside(op):
            type_ = value.type
            if isinstance(type_, MemRefType):
                if (reason := self._why_not_shared(value)) is not None:
                    return reason
            elif not is_lane_type(type_):
                return f"{op.name} of type {type_} has no vector form"
        for result in op.results:
            if not is_lane_type(result.type) and not (
                makes_view(op) and isinstance(result.type, MemRefType)
            ):
                return f"{op.name} of type {result.type} has no vector form"
        return None

    def _why_not_shared(self, array: SSAValue) -> str | None:
        """A private array made outside of the loop would be shared by its lanes."""
        for memory in reachable((array,), viewed_memories):
            owner = memory.owner
            if not isinstance(owner, Operation):
                parent = owner.parent_op()
                if parent is not None and parent.name != "func.func":
                    return f"an array comes out of {parent.name}"
            elif isinstance(owner, memref.AllocaOp):
                if is_outside(memory, self._loop) and not is_group_memory(owner):
                    return (
                        "a private array made outside of the loop is used by its "
                        "work-items"
                    )
            elif owner.regions:
                return f"an array comes out of {owner.name}"
        return None


def _blocks_in_step(op: Operation) -> Sequence[Block]:
    """The blocks of `op` that lanes run in lock step; others are part of what it does."""
    return [block for region in op.regions if decisions(op) for block in region.blocks]


def _why_not_alone(op: Operation) -> str | None:
    """Why one lane cannot run all that stands in `op` by itself."""
    if op.regions and any(map(needs_sub_groups, op.walk())):
        return f"sub-group operations stand in {op.name}"
    return None


def is_lane_type(type_: Attribute) -> bool:
    """Whether values of this type can be the elements of a vector."""
    return _is_lane_kind(type(type_))


@cache
def _is_lane_kind(kind: type[Attribute]) -> bool:
    return issubclass(kind, AnyFloat | IntegerType | IndexType)


def is_item_type(type_: Attribute) -> bool:
    """Whether a lane can have a value of this type to itself."""
    return is_lane_type(type_) or isa(type_, VectorType)


def _why_not_control(
    op: Operation, may_be_passed: Callable[[Attribute], bool]
) -> str | None:
    if op.dialect_name() != scf.Scf.name:
        return f"masks are not known for the control flow of {op.name}, which has no Expansion"
    for result in op.results:
        if not may_be_passed(result.type):
            return f"{op.name} has a result of type {result.type}"
    for region in op.regions:
        if len(region.blocks) > 1:
            return f"{op.name} has more than one block"
        for block in region.blocks:
            for arg in block.args:
                if not may_be_passed(arg.type):
                    return f"{op.name} carries a value of type {arg.type}"
    return None
