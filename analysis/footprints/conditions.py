"""Comparisons of integers as inequalities of polynomials, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, SSAValue

from spmd.analysis.footprints.expressions import (
    UNKNOWN,
    Conditions,
    Expression,
    Guard,
    all_of,
)
from spmd.analysis.memory.polynomials import Polynomial
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.names import NEGATED, PREDICATES, SWAPPED
from spmd.dialects.spmd import KernelOp

MOST_TESTS = 16
"""Comparisons of one condition that are looked at."""


class ConditionReader:
    """Guards of values of type `i1`."""

    def __init__(
        self, expression: Callable[[SSAValue], Expression], ranges: IntegerRanges
    ):
        self._expression = expression
        self._ranges = ranges

    def guard(self, condition: SSAValue, holds: bool, tests: int = MOST_TESTS) -> Guard:
        """When `condition` is true, or false."""
        owner = condition.owner
        match owner:
            case arith.AndIOp() | arith.OrIOp() if tests > 1:
                parts = [self.guard(v, holds, tests // 2) for v in owner.operands]
                both = isinstance(owner, arith.AndIOp) == holds
                return parts[0] & parts[1] if both else parts[0] | parts[1]
            case arith.XOrIOp() if _is_true(owner.rhs) and tests > 1:
                return self.guard(owner.lhs, not holds, tests - 1)
            case arith.ConstantOp() if isinstance(owner.value, IntegerAttr):
                return Guard(((),) if bool(owner.value.value.data) == holds else ())
            case arith.CmpiOp() if bit_width(owner.lhs.type) != 1:
                if (mixed := _mixed_signs(owner)) is not None:
                    return self._signs(mixed.lhs, mixed.rhs, differ=holds)
                return self._comparison(owner, holds)
            case _:
                pass
        if isinstance(condition, BlockArgument) and isinstance(
            condition.block.parent_op(), KernelOp
        ):
            return self._flag(condition, holds)
        return UNKNOWN

    def _flag(self, value: SSAValue, holds: bool) -> Guard:
        """A flag that the launch gives."""
        flag = self._expression(value)
        return Guard(((flag.value - 1 if holds else -flag.value,),), flag.requires)

    def _signs(self, x: SSAValue, y: SSAValue, differ: bool) -> Guard:
        """Whether one of two numbers is negative and the other is not."""
        negative = self._sign(x, True) & self._sign(y, not differ)
        return negative | (self._sign(x, False) & self._sign(y, differ))

    def _sign(self, value: SSAValue, negative: bool) -> Guard:
        at = self._expression(value)
        if self._ranges.of(value).is_non_negative:
            return Guard(() if negative else ((),))
        return Guard(((-at.value - 1 if negative else at.value,),), at.requires)

    def _comparison(self, op: arith.CmpiOp, holds: bool) -> Guard:
        predicate = op.predicate.value.data
        if not holds:
            predicate = NEGATED[predicate]
        left, right = op.lhs, op.rhs
        name = PREDICATES[predicate]
        if name[1:] in ("gt", "ge"):
            left, right, name = right, left, PREDICATES[SWAPPED[predicate]]
        x, y = self._expression(left), self._expression(right)
        requires = all_of((x.requires, y.requires))
        a, b = x.value, y.value
        if name == "eq":
            return Guard(((a - b, b - a),), requires)
        if name == "ne":
            x_range, y_range = self._ranges.of(left), self._ranges.of(right)
            more, less = (a - b - 1,), (b - a - 1,)
            if x_range.low >= y_range.high:
                return Guard((more,), requires)
            if x_range.high <= y_range.low:
                return Guard((less,), requires)
            return Guard((more, less), requires)
        less = b - a - 1 if name.endswith("lt") else b - a
        if name[0] == "s":
            return Guard(((less,),), requires)
        return Guard(self._unsigned(left, a, right, b, less), requires)

    def _unsigned(
        self,
        left: SSAValue,
        a: Polynomial,
        right: SSAValue,
        b: Polynomial,
        less: Polynomial,
    ) -> tuple[Conditions, ...]:
        """
        `a` is less than `b` as unsigned numbers, where negative ones are large.

        `less` says so of signed numbers.
        """
        both, neither, only_b = (a, b, less), (-a - 1, -b - 1, less), (a, -b - 1)
        if self._ranges.of(right).is_non_negative:
            return (both,)
        if self._ranges.of(left).is_non_negative:
            return (both, only_b)
        return (both, neither, only_b)


def _mixed_signs(op: arith.CmpiOp) -> arith.XOrIOp | None:
    """Of what `op` asks whether the signs differ, as remainders that round down do."""
    mixed, zero = op.lhs.owner, op.rhs.owner
    if (
        PREDICATES[op.predicate.value.data] == "slt"
        and isinstance(mixed, arith.XOrIOp)
        and isinstance(zero, arith.ConstantOp)
        and isinstance(zero.value, IntegerAttr)
        and zero.value.value.data == 0
    ):
        return mixed
    return None


def _is_true(value: SSAValue) -> bool:
    owner = value.owner
    return (
        isinstance(owner, arith.ConstantOp)
        and isinstance(owner.value, IntegerAttr)
        and owner.value.value.data != 0
    )
