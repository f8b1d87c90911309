"""
Blends: sums of two products whose weights add up to a third number.

`a * t + b * (whole - t)` lies between the least and the greatest of `a` and `b`, times `whole`,
if no weight is negative. The bounds of the products alone allow twice as much: each of them is
greatest where the other is least.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange


class Blend(NamedTuple):
    """`a * weight + b * rest`, where `rest` is `whole - weight`."""

    a: SSAValue
    weight: SSAValue
    b: SSAValue
    rest: SSAValue
    whole: SSAValue

    @staticmethod
    def of(op: Operation) -> Blend | None:
        """What `op` blends, if it does."""
        if type(op) is not arith.AddiOp:
            return None
        x, y = op.lhs.owner, op.rhs.owner
        if type(x) is not arith.MuliOp or type(y) is not arith.MuliOp:
            return None
        for (a, t), (b, u) in product(_orders(x), _orders(y)):
            for one, weight, other, rest in ((a, t, b, u), (b, u, a, t)):
                difference = rest.owner
                if type(difference) is arith.SubiOp and difference.rhs is weight:
                    return Blend(one, weight, other, rest, difference.lhs)
        return None


def _orders(op: arith.MuliOp) -> Sequence[tuple[SSAValue, SSAValue]]:
    return (op.lhs, op.rhs), (op.rhs, op.lhs)


def range_of_blend(
    a: IntegerRange,
    weight: IntegerRange,
    b: IntegerRange,
    rest: IntegerRange,
    whole: IntegerRange,
    width: int,
) -> IntegerRange | None:
    """The range of a blend, in the order of `Blend`, if nothing on the path to it can wrap."""
    if not (weight.is_non_negative and rest.is_non_negative):
        return None
    high = weight.high + rest.high
    if not IntegerRange(0, high).fits(width):
        return None
    total = IntegerRange(max(whole.low, 0), min(whole.high, high))
    blended = _product(a.join(b), total)
    parts = blended, _product(a, weight), _product(b, rest)
    return blended if all(part.fits(width) for part in parts) else None


def _product(x: IntegerRange, y: IntegerRange) -> IntegerRange:
    corners = [m * n for m in (x.low, x.high) for n in (y.low, y.high)]
    return IntegerRange(min(corners), max(corners))
