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
from dataclasses import dataclass, field, replace
from math import gcd

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.type import get_element_type_or_self

from spmd.analysis.ranges.integer_range import (
    bit_width,
    has_no_signed_wrap,
    power_of_two_part,
)
from spmd.dialects.compat.memory import StepOp
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


def _spread(ahead: tuple[int, ...], lanes: int) -> tuple[int, ...]:
    return ahead if len(ahead) == lanes else ahead * lanes


@dataclass
class LaneSums:
    """The sums that vectors hold, and scalars, which all lanes share."""

    _known: dict[SSAValue, LaneSum | None] = field(
        default_factory=dict[SSAValue, LaneSum | None]
    )

    def of(self, value: SSAValue) -> LaneSum | None:
        """What lanes have; `None` if they differ in something unknown."""
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
            return LaneSum((int(number),))
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
        multiple = 1
        if operands and len(found) == len(operands):
            if not isinstance(value.owner, Block):
                computed = _result(value.owner, found)
                if computed is not None and not _is_lost(value, computed):
                    return computed
                multiple = 1 if computed is None else computed.divisor
            elif not isinstance(value.type, VectorType):
                multiple = gcd(*(each.divisor for each in found))
        return self.otherwise(value, multiple)


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
    return [*owner.operands] if isinstance(owner, _UNDERSTOOD) else []


_CASTS = arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp
_UNDERSTOOD = (
    arith.AddiOp
    | arith.SubiOp
    | arith.MuliOp
    | arith.ShLIOp
    | arith.ShRUIOp
    | arith.ShRSIOp
    | arith.DivUIOp
    | arith.FloorDivSIOp
    | arith.RemUIOp
    | arith.AndIOp
    | arith.OrIOp
    | arith.XOrIOp
    | _CASTS
    | vector.BroadcastOp
)


def _is_lost(value: SSAValue, computed: LaneSum) -> bool:
    """Whether nobody could extend the number, which is known as a whole."""
    scalar = not isinstance(value.type, VectorType)
    return scalar and not computed.exact and _width(value) < 64


def _width(value: SSAValue) -> int:
    return bit_width(get_element_type_or_self(value.type)) or 0


def _result(op: Operation, operands: Sequence[LaneSum]) -> LaneSum | None:
    width = _width(op.results[0])
    fits = has_no_signed_wrap(op)
    match op, operands:
        case vector.BroadcastOp(), (x,):
            return x if len(x.ahead) == 1 else None
        case _, (x,):
            return _cast(op, x, _width(op.operands[0]), width)
        case arith.AddiOp(), (x, y):
            return x.plus(y, fits)
        case arith.SubiOp(), (x, y):
            return x.plus(y, fits, -1)
        case arith.MuliOp(), (x, y):
            x, factor = (x, y.constant) if y.constant is not None else (y, x.constant)
            return None if factor is None else ZERO.plus(x, fits, factor)
        case arith.ShLIOp(), (x, y):
            known = y.constant is not None and 0 <= y.constant < width
            return ZERO.plus(x, fits, 1 << (y.constant or 0)) if known else None
        case ((arith.AndIOp() | arith.OrIOp() | arith.XOrIOp()), (x, y)):
            x, bits = (x, y.constant) if y.constant is not None else (y, x.constant)
            return None if bits is None else _with_bits(op, x, bits)
        case _, (x, y):
            return _divided(op, x, y.constant, width)
        case _:
            return None


def _cast(op: Operation, x: LaneSum, before: int, after: int) -> LaneSum | None:
    if after <= before:
        return replace(x, exact=x.exact and after == before)
    if isinstance(op, arith.ExtUIOp):
        return None if x.carries(before) else x.opaque("zeros", before)
    return extended(x, before)


def extended(x: LaneSum, width: int) -> LaneSum | None:
    """The sum as integers of both signs, modulo 2^64, read from the lowest `width` bits."""
    if x.exact or width == 64:
        return x
    return None if x.carries(width) else x.opaque("signs", width)


def _with_bits(op: Operation, x: LaneSum, bits: int) -> LaneSum | None:
    """`and`, `or` or `xor` with `bits`, which are bits of what lanes add."""
    low = x.multiple or 1 << 64
    if isinstance(op, arith.AndIOp):
        if 0 <= bits < low:
            return LaneSum(tuple(each & bits for each in x.ahead))
        if bits < 0 and ~bits < low:
            return x.with_bits(lambda each: each & bits)
        return None
    if not 0 <= bits < low:
        return None
    if isinstance(op, arith.OrIOp):
        return x.with_bits(lambda each: each | bits)
    return x.with_bits(lambda each: each ^ bits)


def _divided(op: Operation, x: LaneSum, by: int | None, width: int) -> LaneSum | None:
    """A quotient, or what is left, where a power of two divides what lanes share."""
    signed = isinstance(op, arith.ShRSIOp | arith.FloorDivSIOp)
    if isinstance(op, arith.ShRSIOp | arith.ShRUIOp):
        by = 1 << by if by is not None and 0 <= by < width else None
    if by is None or by <= 0 or by & (by - 1) or x.multiple % by:
        return None
    if isinstance(op, arith.RemUIOp):
        return LaneSum(tuple(each & (by - 1) for each in x.ahead))
    if x.carries(width) and not (signed and x.exact):
        return None
    return x.opaque("signed" if signed else "unsigned", width, by)
