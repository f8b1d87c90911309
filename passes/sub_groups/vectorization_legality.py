"""
Why a work-item loop must stay scalar.

Asked before anything is rewritten: what is allowed here, the later steps of `vectorize`
can express. Nothing but the loop and what it uses is looked at.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import cf, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.computation import Elementwise, FunctionOfOperands
from spmd.dialects.interfaces.control_flow import RegionTerminator, decisions
from spmd.dialects.interfaces.memory import MemoryHint
from spmd.dialects.interfaces.views import makes_view, viewed_memories
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import FailOp, needs_sub_groups
from spmd.dialects.work_groups import WORK_ITEMS, is_group_memory


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
        if isinstance(op, scf.ForOp) and WORK_ITEMS in op.attributes:
            continue
        if op.regions and not decisions(op):
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
        self._outside: dict[SSAValue, bool] = {}

    def why_not(self) -> str | None:
        for op in self._loop.body.walk():
            if (reason := self._why_not_op(op)) is not None:
                return reason
        return None

    def _why_not_op(self, op: Operation) -> str | None:
        match op:
            case memref.LoadOp() | memref.StoreOp():
                return self._why_not_access(op)
            case memref.AllocaOp():
                return _why_not_private_array(op)
            case _ if MemoryHint.of(op) is not None:
                return None
            case memref.DimOp():
                return self._why_not_uniform(op)
            case _ if makes_view(op):
                return self._why_not_uniform(op)
            case _ if op.regions and decisions(op):
                return _why_not_control(op, is_lane_type)
            case _ if RegionTerminator.of(op) is not None:
                return None
            case cf.AssertOp() | FailOp():
                return None
            case _ if needs_sub_groups(op):
                return None
            case _ if Elementwise.of(op) is not None:
                return _why_not_lanewise(op)
            case _:
                return f"{op.name} has no vector form"

    def _why_not_access(self, op: memref.LoadOp | memref.StoreOp) -> str | None:
        array = op.memref
        assert isa(array.type, MemRefType)
        element = array.type.element_type
        if not is_lane_type(element):
            return f"{op.name} of elements of type {element} has no vector form"
        if element == i1:
            return f"{op.name} of i1 elements, whose layout in memory is open"
        if isinstance(array.owner, memref.AllocaOp) and not is_outside(
            array, self._loop
        ):
            return None
        if not self._is_uniform(array):
            return f"{op.name} goes to an array that differs between work-items"
        return _why_not_shared(array)

    def _why_not_uniform(self, op: Operation) -> str | None:
        """Views stay scalar, so that they must be the same in all lanes."""
        for operand in op.operands:
            if isinstance(op, memref.DimOp) and isinstance(
                operand.owner, memref.AllocaOp
            ):
                continue
            if not self._is_uniform(operand):
                return f"{op.name} differs between work-items"
            if isinstance(operand.type, MemRefType) and (
                (reason := _why_not_shared(operand)) is not None
            ):
                return reason
        return None

    def _is_uniform(self, value: SSAValue) -> bool:
        """
        Whether `value` is computed from nothing but what lies outside of the loop.

        A weaker question than the divergence analysis answers, but one that needs no
        analysis: uniform views are made by `spmd-to-loops` before the loop.
        """
        known = self._outside.get(value)
        if known is None:
            known = self._outside[value] = self._computed_outside(value)
        return known

    def _computed_outside(self, value: SSAValue) -> bool:
        if is_outside(value, self._loop):
            return True
        if isinstance(value, BlockArgument):
            return False
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, memref.AllocaOp):
            return False
        return FunctionOfOperands.of(op) is not None and all(
            self._is_uniform(each) for each in op.operands
        )


def is_lane_type(type_: Attribute) -> bool:
    """Whether values of this type can be the elements of a vector."""
    return isinstance(type_, AnyFloat | IntegerType | IndexType)


def is_item_type(type_: Attribute) -> bool:
    """Whether a lane can have a value of this type to itself."""
    return is_lane_type(type_) or isa(type_, VectorType)


def _why_not_lanewise(op: Operation) -> str | None:
    for value in (*op.operands, *op.results):
        if not is_lane_type(value.type):
            return f"{op.name} of type {value.type} has no vector form"
    return None


def _why_not_control(
    op: Operation, may_be_passed: Callable[[Attribute], bool]
) -> str | None:
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


def _why_not_private_array(op: memref.AllocaOp) -> str | None:
    type_ = op.memref.type
    assert isa(type_, MemRefType)
    if not type_.has_static_shape() or op.symbol_operands:
        return f"a private array of type {type_} has no size known at compile time"
    if (reason := _why_not_array_of_lane(op)) is not None:
        return reason
    for use in op.memref.uses:
        user = use.operation
        address = (isinstance(user, memref.LoadOp) and use.index == 0) or (
            isinstance(user, memref.StoreOp) and use.index == 1
        )
        harmless = isinstance(user, memref.DimOp) or MemoryHint.of(user) is not None
        if not address and not harmless:
            return f"{user.name} takes a private array"
    return None


def _why_not_shared(array: SSAValue) -> str | None:
    """A private array made outside of the loop would be shared by its lanes."""
    for memory in reachable((array,), viewed_memories):
        owner = memory.owner
        if not isinstance(owner, Operation):
            parent = owner.parent_op()
            if parent is not None and parent.name != "func.func":
                return f"an array comes out of {parent.name}"
        elif isinstance(owner, memref.AllocaOp):
            if not is_group_memory(owner):
                return (
                    "a private array made outside of the loop is used by its work-items"
                )
        elif owner.regions:
            return f"an array comes out of {owner.name}"
    return None
