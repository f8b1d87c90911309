"""What comparisons of integers are known to hold, by ranges and by the code around them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, SSAValue

from spmd.analysis.divergence.prefix import conjuncts
from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.interfaces.preconditions import Case, Comparison
from spmd.dialects.names import NEGATED, PREDICATES, SWAPPED
from spmd.dialects.rewriting import constant_index

_Term = SSAValue | int | tuple[SSAValue, int]
"""A value; if it is a constant, the number; if the size of a memref, that and the axis."""

_Fact = tuple[str, _Term, _Term]

_GREATER = ("sgt", "sge", "ugt", "uge")


class KnownConditions:
    """What holds at a point of a walk through the code."""

    def __init__(self, ranges: IntegerRanges):
        self._ranges = ranges
        self._scopes: list[set[_Fact]] = [set()]

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Within it, what leads to `block` holds as well."""
        self._scopes.append(set())
        parent = block.parent_op()
        if isinstance(parent, scf.IfOp):
            self._take(parent.cond, block.parent is parent.true_region)
        elif isinstance(parent, scf.ForOp):
            self._learn(Comparison("slt", block.args[0], parent.ub))
        yield
        self._scopes.pop()

    def rule_out(self, case: Case) -> None:
        """Say that not all comparisons of `case` hold from here on."""
        if len(case) == 1 and bit_width(case[0].left.type) is not None:
            self._learn(_negated(case[0]))

    def open(self, case: Case) -> Case | None:
        """The comparisons of `case` that may or may not hold; `None` if one does not."""
        left: list[Comparison] = []
        for comparison in case:
            holds = self._holds(comparison)
            if holds is False:
                return None
            if holds is None:
                left.append(comparison)
        return tuple(left)

    def _holds(self, comparison: Comparison) -> bool | None:
        if bit_width(comparison.left.type) is None:
            return None  # floats, and vectors
        if self._is_fact(comparison):
            return True
        if self._is_fact(_negated(comparison)):
            return False
        left, right = map(self._ranges.of, (comparison.left, comparison.right))
        return _decided(comparison.predicate, left, right)

    def _is_fact(self, comparison: Comparison) -> bool:
        fact = _fact(comparison)
        return any(fact in scope for scope in self._scopes)

    def _learn(self, comparison: Comparison) -> None:
        self._scopes[-1].add(_fact(comparison))
        # Below a number without being negative, it is so read as an unsigned one too.
        if (
            comparison.predicate in ("slt", "sle")
            and self._ranges.of(comparison.left).is_non_negative
        ):
            unsigned = "u" + comparison.predicate[1:]
            below = Comparison(unsigned, comparison.left, comparison.right)
            self._scopes[-1].add(_fact(below))

    def _take(self, condition: SSAValue, holds: bool) -> None:
        """Learn that `condition` holds, or does not."""
        parts = conjuncts(condition) if holds else (condition,)
        for part in parts:
            if isinstance(part.owner, arith.CmpiOp):
                said = _said_by(part.owner)
                self._learn(said if holds else _negated(said))


def _said_by(op: arith.CmpiOp) -> Comparison:
    number = op.predicate.value.data
    left, right = op.lhs, op.rhs
    if PREDICATES[number] in _GREATER:
        number, left, right = SWAPPED[number], right, left
    return Comparison(PREDICATES[number], left, right)


def _negated(comparison: Comparison) -> Comparison:
    number = NEGATED[PREDICATES.index(comparison.predicate)]
    left, right = comparison.left, comparison.right
    if PREDICATES[number] in _GREATER:
        number, left, right = SWAPPED[number], right, left
    return Comparison(PREDICATES[number], left, right)


def _fact(comparison: Comparison) -> _Fact:
    number = PREDICATES.index(comparison.predicate)
    left, right = _term(comparison.left), _term(comparison.right)
    if comparison.predicate in _GREATER:
        number, left, right = SWAPPED[number], right, left
    return PREDICATES[number], left, right


def _term(value: SSAValue) -> _Term:
    if (number := constant_index(value)) is not None:
        return number
    owner = value.owner
    if isinstance(owner, memref.DimOp):
        axis = constant_index(owner.index)
        if axis is not None:
            return owner.source, axis
    return value


def _decided(predicate: str, left: IntegerRange, right: IntegerRange) -> bool | None:
    """Whether a comparison holds for all numbers in the ranges, or for none."""
    match predicate:
        case "eq" | "ne":
            if left.high < right.low or right.high < left.low:
                return predicate == "ne"
            if left.value is not None and left.value == right.value:
                return predicate == "eq"
            return None
        case "slt":
            return _below(left, right)
        case "sle":
            return _not(_below(right, left))
        case "sgt":
            return _below(right, left)
        case "sge":
            return _not(_below(left, right))
        case _:
            pass
    if left.is_non_negative and right.is_non_negative:
        return _decided("s" + predicate[1:], left, right)
    if left.high < 0 and right.is_non_negative:
        return predicate in ("ugt", "uge")
    return None


def _below(left: IntegerRange, right: IntegerRange) -> bool | None:
    if left.high < right.low:
        return True
    return False if left.low >= right.high else None


def _not(holds: bool | None) -> bool | None:
    return None if holds is None else not holds
