"""
What bent indices are in the interior of an array, and what is asked there.

A stencil takes the last element beyond an edge, or begins again at the other side:
`min(max(x + d, 0), n - 1)`, `(x + d) % n`. In the interior that is `x + d`, as the numbers between
the edges are left as they are. Numbers that rise and fall by fixed steps along lanes and with the
counters of loops are between two others everywhere if they are so where they are least and where
they are greatest.

An extremum is the number that is bent where the other one does not bend it, and a choice is what
differs in lanes where its condition chooses that. A remainder is the number where that is in
`[0, divisor)`, whichever way it is rounded; what is added so that it is not negative, as in
`(x - 1 + n) % n`, is taken off again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.divergence.edges import bends
from spmd.analysis.memory.polynomials import Atom, Polynomial
from spmd.analysis.memory.sums import Sums, ValueAtom
from spmd.analysis.ranges.remainders import is_remainder, leaves_digits, rounded_down
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.computation import (
    Elementwise,
    FunctionOfOperands,
    is_unsigned,
)
from spmd.dialects.interfaces.speculation import is_speculatable
from spmd.dialects.names import PREDICATES
from spmd.dialects.rewriting import constant_index

NEGATED = {"slt": "sge", "sle": "sgt", "sgt": "sle", "sge": "slt"}
SWAPPED = {"slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle"}


class Number(NamedTuple):
    """A sum, from which a value that all lanes share may have been taken."""

    value: SSAValue
    less: SSAValue | None = None


class Test(NamedTuple):
    """That a number has to `bound` the relation of a signed predicate of `arith.cmpi`."""

    number: Number
    predicate: str
    bound: SSAValue | int

    @property
    def of_least(self) -> bool:
        """Whether it holds everywhere if it does so where the number is least; or greatest."""
        return self.predicate in ("sge", "sgt")


class Beyond(Enum):
    """What a bent value is beyond one edge, if no lane is beyond the other one."""

    CONSTANT = auto()
    """The same for all lanes there."""
    SHIFTED = auto()
    """As far from the number, less than a period beyond the edge."""
    UNKNOWN = auto()


class Straight(NamedTuple):
    """What a bent value is where all `tests` hold."""

    number: Number
    tests: tuple[Test, ...] = ()
    beyond: Beyond = Beyond.CONSTANT
    period: SSAValue | None = None
    """What divides a number that is shifted."""

    def bent(self, *tests: Test) -> Straight:
        """The same with more `tests`, where one that fails gives something all lanes share."""
        sides = {each.of_least for each in tests} & {
            each.of_least for each in self.tests
        }
        is_known = self.beyond is Beyond.CONSTANT and not sides
        beyond = Beyond.CONSTANT if is_known else Beyond.UNKNOWN
        return Straight(self.number, (*self.tests, *tests), beyond)


class Interiors:
    """The bent values in an op whose region lanes run, or work-items."""

    def __init__(self, around: Operation, lanes: Sequence[SSAValue]):
        """`lanes`: the numbers of each lane, in `around`."""
        self._around = around
        self.lanes = lanes
        self._sums = Sums()
        self._known: dict[SSAValue, Straight | None] = {}
        self._shared: dict[SSAValue, bool] = {}

    def bent_in(self, indices: Sequence[SSAValue]) -> Mapping[SSAValue, Straight]:
        """
        The values that `indices` are sums of, which lanes do not share, and are straight inside.

        None if lanes along x differ in anything else there.
        """
        found: dict[SSAValue, Straight] = {}
        worklist, seen = list(indices), set[SSAValue]()
        while worklist:
            value = worklist.pop()
            if value in seen or self.is_sum(value):
                continue
            seen.add(value)
            straight = self.of(value) if bends(value.owner) else None
            if straight is not None:
                steps = self.steps(straight.number)
                if any(lane in steps for lane in self.lanes):
                    found[value] = straight
            elif terms := _terms(value):
                worklist += terms
            elif not self.is_shared_along(value, self.lanes[0]):
                return {}
        return found

    def of(self, value: SSAValue) -> Straight | None:
        """What `value` is in the interior, if that is known."""
        if value not in self._known:
            self._known[value] = self._straight(value)
        return self._known[value]

    def steps(self, number: Number) -> Mapping[SSAValue, int]:
        """By how much a number rises with each lane and counter."""
        varying = self._varying(self._sums.of(number.value))
        assert varying is not None, "it is a sum"
        return varying

    def family(self, number: Number) -> tuple[object, int]:
        """What numbers have in common that differ by constants, and the constant of this one."""
        sum_ = self._sums.of(number.value)
        if number.less is not None:
            sum_ -= self._sums.of(number.less)
        return frozenset((sum_ - sum_.offset).terms.items()), sum_.offset

    def is_shared(self, value: SSAValue) -> bool:
        """Whether all lanes can compute `value` before they begin, the same in all iterations."""
        if value not in self._shared:
            op = value.owner
            self._shared[value] = is_outside(value, self._around) or (
                is_speculatable(op)
                and isinstance(op, Operation)
                and all(map(self.is_shared, op.operands))
            )
        return self._shared[value]

    def is_counter(self, value: SSAValue) -> bool:
        """Whether `value` counts iterations whose number all lanes share."""
        if not isinstance(value, BlockArgument) or value.index != 0:
            return False
        loop = value.block.parent_op()
        return (
            isinstance(loop, scf.ForOp)
            and not is_outside(value, self._around)
            and (constant_index(loop.step) or 0) > 0
            and self.is_shared(loop.lb)
            and self.is_shared(loop.ub)
        )

    def is_shared_along(
        self, value: SSAValue, lane: SSAValue, besides: SSAValue | None = None
    ) -> bool:
        """Whether lanes that differ in `lane` alone share `value`, as far as they do `besides`."""
        op = value.owner
        if value is besides or self.is_shared(value) or self.is_counter(value):
            return True
        if isinstance(op, Block):
            return value is not lane and value in self.lanes
        return FunctionOfOperands.of(op) is not None and all(
            self.is_shared_along(each, lane, besides) for each in op.operands
        )

    def runs_in_all_lanes(self, op: Operation) -> bool:
        """Whether only loops that all lanes run together are around `op`."""
        parent = op.parent_op()
        if parent is self._around:
            return True
        return (
            isinstance(parent, scf.ForOp)
            and self.is_counter(parent.body.block.args[0])
            and self.runs_in_all_lanes(parent)
        )

    def _varying(self, sum_: Polynomial) -> dict[SSAValue, int] | None:
        """The steps of lanes and counters in a sum; `None` if others differ, or products."""
        steps: dict[SSAValue, int] = {}
        for monomial, factor in sum_.terms.items():
            own = [each for each in map(_value, monomial) if not self.is_shared(each)]
            if not own:
                continue
            (value, *others) = own
            if others or len(monomial) > 1:
                return None
            if value not in self.lanes and not self.is_counter(value):
                return None
            steps[value] = factor
        return steps

    def is_sum(self, value: SSAValue) -> bool:
        """Whether `value` rises by fixed steps along lanes and with counters."""
        return self._varying(self._sums.of(value)) is not None

    def _straight(self, value: SSAValue) -> Straight | None:
        if self.is_sum(value):
            return Straight(Number(value))
        op = value.owner
        if isinstance(op, arith.SelectOp):
            rest = rounded_down(op)
            return self._chosen(op) if rest is None else self.of(rest)
        if isinstance(op, Block) or not bends(op):
            return None
        if is_remainder(op):
            return self._remainder(op)
        number, bound = op.operands
        if self.is_shared(number):
            number, bound = bound, number
        elif not self.is_shared(bound):
            return None
        return self._extremum(op, number, bound)

    def _extremum(
        self, op: Operation, value: SSAValue, bound: SSAValue
    ) -> Straight | None:
        straight = self.of(value)
        if straight is None:
            return None
        number = straight.number
        if isinstance(op, arith.MaxSIOp):
            return straight.bent(Test(number, "sge", bound))
        if isinstance(op, arith.MinSIOp):
            return straight.bent(Test(number, "sle", bound))
        if isinstance(op, arith.MinUIOp):
            return straight.bent(Test(number, "sge", 0), Test(number, "sle", bound))
        return None

    def _remainder(self, op: Operation) -> Straight | None:
        value, divisor = op.operands
        if not (self.is_sum(value) and self.is_shared(divisor)):
            return None
        if leaves_digits(divisor):
            return None
        number, tests = Number(value), ()
        beyond = Beyond.UNKNOWN if is_unsigned(op) else Beyond.SHIFTED
        if _has(self._sums.of(value), self._sums.of(divisor)):
            # What it may have wrapped around to is negative.
            tests = (Test(number, "sge", 0),)
            number, beyond = Number(value, divisor), Beyond.SHIFTED
        inside = Test(number, "sge", 0), Test(number, "slt", divisor)
        return Straight(number, (*tests, *inside), beyond, divisor)

    def _chosen(self, op: arith.SelectOp) -> Straight | None:
        """A choice between a number and what all lanes share: the number."""
        is_other = self.is_shared(op.lhs)
        if is_other == self.is_shared(op.rhs):
            return None
        straight = self.of(op.rhs if is_other else op.lhs)
        tests = self._tests(op.cond, not is_other)
        if straight is None or tests is None:
            return None
        bent, (family, _) = straight.bent(*tests), self.family(straight.number)
        if any(self.family(test.number)[0] != family for test in tests):
            # Where it is beyond does not follow from the number.
            return bent._replace(beyond=Beyond.UNKNOWN)
        return bent

    def _tests(self, condition: SSAValue, holds: bool) -> tuple[Test, ...] | None:
        """What is asked for `condition` to hold everywhere, or nowhere."""
        op = condition.owner
        if isinstance(op, arith.AndIOp if holds else arith.OrIOp):
            one, two = (self._tests(each, holds) for each in op.operands)
            return None if one is None or two is None else (*one, *two)
        if not isinstance(op, arith.CmpiOp):
            return None
        value, bound = op.operands
        predicate = PREDICATES[op.predicate.value.data]
        if self.is_shared(value):
            value, bound = bound, value
            predicate = SWAPPED.get(predicate, "")
        if not holds:
            predicate = NEGATED.get(predicate, "")
        if predicate not in NEGATED or not self.is_shared(bound):
            return None
        return (Test(Number(value), predicate, bound),) if self.is_sum(value) else None


def _terms(value: SSAValue) -> Sequence[SSAValue]:
    """What `value` is computed from by fixed steps."""
    op = value.owner
    if isinstance(op, Block) or (elementwise := Elementwise.of(op)) is None:
        return ()
    return op.operands if elementwise.affine else ()


def _value(atom: Atom) -> SSAValue:
    assert isinstance(atom, ValueAtom), "sums of values have no others"
    return atom.value


def _has(sum_: Polynomial, part: Polynomial) -> bool:
    """Whether `part`, which is no number, is one of the terms of a sum, as it is."""
    return part.constant is None and all(
        sum_.terms.get(monomial) == factor for monomial, factor in part.terms.items()
    )
