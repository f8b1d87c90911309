"""
What work-items do together: barriers, collectives and shuffles (in LLVM: convergent ops).

What such an op does depends on which work-items reach it together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import prod
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.assembly_format import Keyword
from spmd.dialects.enclosing import enclosing
from spmd.dialects.spmd.ids import SeesGroup
from spmd.dialects.spmd.kernel import KernelOp
from spmd.dialects.spmd.sub_group_ids import SubGroupQueryOp
from spmd.dialects.spmd.traits import (
    STAYS_IN_PLACE,
    Canonicalizes,
    expect_inside_function,
    replace_keeping_place,
)
from spmd.dialects.spmd.types import Scope, ScopeAttr, why_not_scalar


class ConvergentOp(IRDLOperation):
    """Base of the ops that work-items reach together: at which they wait for each other."""

    traits = traits_def(*STAYS_IN_PLACE, Canonicalizes())

    custom_directives = (Keyword,)

    @property
    def convergence_scope(self) -> Scope:
        """The work-items that take part."""
        scope = self.properties.get("scope")
        return scope.data if isinstance(scope, ScopeAttr) else Scope.SUB_GROUP

    def is_alone(self) -> bool:
        """Whether never more than one work-item takes part."""
        kernel = enclosing(self, KernelOp)
        if kernel is None:
            return False
        if kernel.group_size is not None and prod(kernel.group_size) == 1:
            return True
        lanes = kernel.sub_group_size
        return (
            self.convergence_scope is Scope.SUB_GROUP
            and lanes is not None
            and lanes.value.data == 1
        )

    def verify_(self) -> None:
        expect_inside_function(self)


class CollectiveOp(ConvergentOp, ABC):
    """
    Base of the convergent ops with a result. They order no memory.

    The first operand, if there is one, is the value that a work-item gives.
    """

    def gives_common_value(self) -> bool:
        """Whether work-items that all give the same value get that value."""
        return False

    @abstractmethod
    def result_alone(self) -> Operation | SSAValue:
        """What the only work-item that takes part gets."""

    def canonicalize(self, rewriter: PatternRewriter) -> None:
        """
        All work-items agree on erasing a collective whose result nobody uses.

        ```mlir
        // before
        %c = arith.constant 7 : i32
        %least = spmd.reduce min %c across sub_group : i32
        %there = spmd.broadcast %c from %lane across sub_group : i32
        // after: %c itself; so is %v, in a kernel with work_group_size = array<i64: 1>
        %sum = spmd.reduce add %v across work_group : f32
        ```
        """
        if self.results[0].first_use is None:
            rewriter.erase(self)
        elif self.is_alone():
            replace_keeping_place(self, self.result_alone(), rewriter)
        elif self.gives_common_value():
            value = self.operands[0]
            if isinstance(value.owner, Operation) and value.owner.has_trait(
                ConstantLike, value_if_unregistered=False
            ):
                replace_keeping_place(self, value, rewriter)


class ScalarOp(CollectiveOp, ABC):
    """
    Base of the ops that exchange one scalar between work-items.

    The scalar is the first operand, `value = operand_def(ScalarOp.T)`: xDSL would put one
    that is declared here after the others.
    """

    T: ClassVar = VarConstraint("T", AnyAttr())

    result = result_def(T)

    def result_alone(self) -> Operation | SSAValue:
        return self.operands[0]

    def why_not_value(self) -> str | None:
        """Why the op cannot take a value of this type."""
        return why_not_scalar(self.operands[0].type)

    def verify_(self) -> None:
        if (reason := self.why_not_value()) is not None:
            raise VerifyException(reason)
        expect_inside_function(self)


def convergence_of(op: Operation) -> Scope | None:
    """The work-items that reach `op` together; `None` if each comes and goes alone."""
    return op.convergence_scope if isinstance(op, ConvergentOp) else None


def is_sync(op: Operation) -> bool:
    """Whether the work-items of a work-group wait for each other at `op`."""
    return convergence_of(op) is Scope.WORK_GROUP


def is_group_collective(op: Operation) -> bool:
    """Whether `op` is a collective of the work-group."""
    return isinstance(op, CollectiveOp) and is_sync(op)


def needs_sub_groups(op: Operation) -> bool:
    """Whether `op` can tell which work-items form a sub-group."""
    return isinstance(op, SubGroupQueryOp) or convergence_of(op) is Scope.SUB_GROUP


def sees_group(op: Operation) -> bool:
    """Whether `op` can tell which work-items form a work-group, or a sub-group of one."""
    return needs_sub_groups(op) or sees_work_group(op)


def sees_work_group(op: Operation) -> bool:
    """Whether `op` can tell which sub-groups form a work-group."""
    return is_sync(op) or op.has_trait(SeesGroup)
