"""
Numbers of lanes as what they share, and what each of them adds to it.

Of `x[i ^ 1]` or `x[i // 8 * 8 + 7 - i % 8]` it is known which elements lanes access, but for where
they begin: `i` is a multiple of 8 in the first lane, so that bits and digits of `i` are those of
the lane, and quotients are the same for eight of them.

Numbers are read modulo `2^N`, `N` the width of their type, as long as nobody has to know them as
integers: to extend or divide them, say. Then either no operation may have wrapped around, or lanes
must stay below the power of two that divides what they share, so that nothing carries into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from math import gcd

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.type import get_element_type_or_self

from spmd.analysis.op_table import OpTable
from spmd.analysis.ranges.integer_range import (
    bit_width,
    has_no_signed_wrap,
    power_of_two_part,
)
from spmd.dialects.compat.memory import StepOp
from spmd.dialects.names import FIRST_UNSIGNED, PREDICATES
from spmd.dialects.rewriting import splat_number

MOST_TERMS = 16
"""A sum of more counts as one number."""


@dataclass(frozen=True)
class LaneSum:
    """Lane `t` has `ahead[t]`, and the sum of `terms`, modulo `2^N`."""

    ahead: tuple[int, ...]
    """A single number if all lanes add the same."""

    terms: frozenset[tuple[Hashable, int]] = frozenset()
    """What lanes share: values, or parts of them, with their coefficients."""

    multiple: int = 0
    """A power of two that divides what lanes share; 0 if they share nothing."""

    exact: bool = True
    """Whether it is this sum without modulo."""

    @staticmethod
    def shared(what: Hashable, multiple: int) -> LaneSum:
        """A number that all lanes share."""
        return LaneSum((0,), frozenset({(what, 1)}), multiple)

    @property
    def constant(self) -> int | None:
        """The number that all lanes have, if it is known."""
        return self.ahead[0] if not self.terms and len(self.ahead) == 1 else None

    @property
    def divisor(self) -> int:
        """A power of two that divides the number of each lane."""
        return gcd(self.multiple, *map(power_of_two_part, self.ahead))

    def carries(self, width: int) -> bool:
        """Whether what lanes add may change bits of what they share, or the sign."""
        sign = 1 << (width - 1)
        return min(self.ahead) < 0 or max(self.ahead) >= min(
            self.multiple or sign, sign
        )

    def plus(self, other: LaneSum, fits: bool, factor: int = 1) -> LaneSum | None:
        """`self + factor * other`; `fits` says that it does not wrap around."""
        terms = Counter[Hashable](dict(self.terms))
        for what, number in other.terms:
            terms[what] += factor * number
        left = frozenset(term for term in terms.items() if term[1])
        if len(left) > MOST_TERMS:
            return None
        lanes = max(len(self.ahead), len(other.ahead))
        mine, others = (_spread(each.ahead, lanes) for each in (self, other))
        ahead = tuple(a + factor * b for a, b in zip(mine, others, strict=True))
        multiple = gcd(self.multiple, power_of_two_part(factor) * other.multiple)
        exact = self.exact and other.exact and fits
        return LaneSum(ahead, left, multiple if left else 0, exact)

    def has(self, bits: int) -> bool:
        """Whether these are bits of what lanes add, and no bits of what they share."""
        return 0 <= bits < (self.multiple or 1 << 64)

    def with_bits(self, change: Callable[[int], int]) -> LaneSum:
        """The same with low bits changed, which are those of what lanes add."""
        return replace(self, ahead=tuple(map(change, self.ahead)))

    def opaque(self, kind: str, width: int, by: int = 1) -> LaneSum:
        """What lanes share divided `by` a power of two, and what they add as well."""
        ahead = tuple(each // by for each in self.ahead)
        if not self.terms:
            return LaneSum(ahead)
        what = kind, self.terms, self.exact, width, by
        return replace(LaneSum.shared(what, self.multiple // by), ahead=ahead)


ZERO = LaneSum((0,))

RULES: OpTable[Callable[..., LaneSum | None]] = OpTable()
"""What an op computes of the sums of its operands."""


def _spread(ahead: tuple[int, ...], lanes: int) -> tuple[int, ...]:
    return ahead if len(ahead) == lanes else ahead * lanes


@dataclass
class LaneSums:
    """The sums that vectors hold, and scalars, which all lanes share."""

    def __post_init__(self) -> None:
        self._known = dict[SSAValue, LaneSum | None]()

    def of(self, value: SSAValue) -> LaneSum | None:
        """What lanes have; `None` if they differ in something unknown, or have no integers."""
        if not element_width(value):
            return None
        waiting = [value]
        while waiting:
            first = waiting[-1]
            if first in self._known:
                waiting.pop()
                continue
            found, operands = self.leaf(first), list[SSAValue]()
            if found is None:
                operands = _operands(first)
                unknown = [each for each in operands if each not in self._known]
                if unknown:
                    waiting += unknown
                    continue
            self._known[first] = found or self._computed(first, operands)
        return self._known[value]

    def leaf(self, value: SSAValue) -> LaneSum | None:
        """What lanes have, if that does not depend on how it is computed."""
        if (number := splat_number(value)) is not None:
            is_truth = element_width(value) == 1
            return LaneSum((int(number) & 1 if is_truth else int(number),))
        match value.owner:
            case StepOp() as step:
                (lanes,) = step.result.type.get_shape()
                return LaneSum(tuple(range(lanes)))
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as numbers):
                return LaneSum(_integers(numbers))
            case _:
                return None

    def otherwise(self, value: SSAValue, multiple: int) -> LaneSum | None:
        """What lanes have of which nothing else is known."""
        if isinstance(value.type, VectorType):
            return None
        return LaneSum.shared(value, multiple)

    def _computed(
        self, value: SSAValue, operands: Sequence[SSAValue]
    ) -> LaneSum | None:
        found = [each for o in operands if (each := self._known[o]) is not None]
        if not operands or len(found) < len(operands):
            return self.otherwise(value, 1)
        op = value.owner
        if isinstance(op, Block):  # The counter of a loop.
            return self.otherwise(value, gcd(*(each.divisor for each in found)))
        computed = RULES[type(op)](op, *found)
        if computed is None:
            return self.otherwise(value, 1)
        if not _is_lost(value, computed):
            return computed
        return self.otherwise(value, computed.divisor)


def _integers(numbers: DenseIntOrFPElementsAttr) -> tuple[int, ...]:
    return tuple(each for each in numbers.get_values() if isinstance(each, int))


def _operands(value: SSAValue) -> list[SSAValue]:
    """What says what lanes have, or by which number what they share can be divided."""
    owner = value.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        if isinstance(loop, scf.ForOp) and value is owner.args[0]:
            return [loop.lb, loop.step]
        return []
    return [*owner.operands] if type(owner) in RULES else []


def _is_lost(value: SSAValue, computed: LaneSum) -> bool:
    """Whether nobody could extend the number, which is known as a whole."""
    scalar = not isinstance(value.type, VectorType)
    return scalar and not computed.exact and element_width(value) < 64


def element_width(value: SSAValue) -> int:
    """The bits of an integer, or of those of a vector; 0 of something else."""
    return bit_width(get_element_type_or_self(value.type)) or 0


@RULES.of(vector.BroadcastOp)
def _broadcast(op: Operation, x: LaneSum) -> LaneSum | None:
    return x if len(x.ahead) == 1 else None


@RULES.of(arith.AddiOp)
def _add(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    return x.plus(y, has_no_signed_wrap(op))


@RULES.of(arith.SubiOp)
def _subtract(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    return x.plus(y, has_no_signed_wrap(op), -1)


@RULES.of(arith.MuliOp)
def _multiply(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    for factor, number in ((x.constant, y), (y.constant, x)):
        if factor is not None:
            return ZERO.plus(number, has_no_signed_wrap(op), factor)
    return None


@RULES.of(arith.ShLIOp)
def _shift_left(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    power = _power(op, y)
    fits = has_no_signed_wrap(op)
    return None if power is None else ZERO.plus(x, fits, power)


def _power(op: Operation, places: LaneSum) -> int | None:
    """By which number a shift by so many `places` multiplies or divides."""
    known = places.constant
    return (
        1 << known
        if known is not None and 0 <= known < element_width(op.results[0])
        else None
    )


@RULES.of(arith.TruncIOp, arith.IndexCastOp, arith.ExtSIOp)
def _cast(op: Operation, x: LaneSum) -> LaneSum | None:
    before, after = element_width(op.operands[0]), element_width(op.results[0])
    if after > before:
        return extended(x, before)
    stays = after == before or (not x.terms and not x.carries(after))
    return replace(x, exact=x.exact and stays)


@RULES.of(arith.CmpiOp)
def _compare(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    assert isinstance(op, arith.CmpiOp), "the rule is for comparisons"
    width = element_width(op.lhs)
    if any(each.terms or (each.carries(width) and not each.exact) for each in (x, y)):
        return None
    number = op.predicate.value.data
    if number >= FIRST_UNSIGNED and min(*x.ahead, *y.ahead) < 0:
        return None
    holds = _RELATIONS[PREDICATES[number][-2:]]
    lanes = max(len(x.ahead), len(y.ahead))
    pairs = zip(_spread(x.ahead, lanes), _spread(y.ahead, lanes), strict=True)
    return LaneSum(tuple(int(holds(a, b)) for a, b in pairs))


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@RULES.of(arith.SelectOp)
def _select(
    op: Operation, condition: LaneSum, x: LaneSum, y: LaneSum
) -> LaneSum | None:
    """A choice that is known, between numbers that share the same."""
    if condition.terms or x.terms != y.terms:
        return None
    lanes = max(len(each.ahead) for each in (condition, x, y))
    chosen, one, other = (_spread(each.ahead, lanes) for each in (condition, x, y))
    ahead = tuple(
        a if holds else b for holds, a, b in zip(chosen, one, other, strict=True)
    )
    return LaneSum(ahead, x.terms, x.multiple, x.exact and y.exact)


@RULES.of(arith.ExtUIOp)
def _extend_with_zeros(op: Operation, x: LaneSum) -> LaneSum | None:
    before = element_width(op.operands[0])
    if before == 1 and not x.terms:
        return x
    return None if x.carries(before) else x.opaque("zeros", before)


def extended(x: LaneSum, width: int) -> LaneSum | None:
    """The sum as integers of both signs, modulo 2^64, read from the lowest `width` bits."""
    if x.exact or width == 64:
        return x
    return None if x.carries(width) else x.opaque("signs", width)


@RULES.of(arith.AndIOp)
def _and(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    for bits, number in ((x.constant, y), (y.constant, x)):
        if bits is None:
            continue
        if number.has(bits):
            return LaneSum(tuple(each & bits for each in number.ahead))
        if number.has(~bits):
            return number.with_bits(lambda each, bits=bits: each & bits)
    return None


@RULES.of(arith.OrIOp, arith.XOrIOp)
def _or(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    change = int.__or__ if isinstance(op, arith.OrIOp) else int.__xor__
    for bits, number in ((x.constant, y), (y.constant, x)):
        if bits is not None and number.has(bits):
            return number.with_bits(lambda each, bits=bits: change(each, bits))
    return None


@RULES.of(arith.RemUIOp)
def _remainder(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    by = y.constant
    if by is None or not _divides(by, x):
        return None
    return LaneSum(tuple(each & (by - 1) for each in x.ahead))


@RULES.of(arith.DivUIOp, arith.ShRUIOp)
def _divide_unsigned(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    by = y.constant if isinstance(op, arith.DivUIOp) else _power(op, y)
    width = element_width(op.results[0])
    if by is None or not _divides(by, x) or x.carries(width):
        return None
    return x.opaque("unsigned", width, by)


@RULES.of(arith.FloorDivSIOp, arith.ShRSIOp)
def _divide(op: Operation, x: LaneSum, y: LaneSum) -> LaneSum | None:
    by = y.constant if isinstance(op, arith.FloorDivSIOp) else _power(op, y)
    width = element_width(op.results[0])
    if by is None or not _divides(by, x) or (x.carries(width) and not x.exact):
        return None
    return x.opaque("signed", width, by)


def _divides(by: int, x: LaneSum) -> bool:
    """Whether `by` is a power of two that divides what lanes share."""
    return by > 0 and by & (by - 1) == 0 and x.multiple % by == 0
