"""Which indices are quotients, so that neighbouring lanes share elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.memory.lane_steps import LONGEST, extends, is_exact
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.interfaces import speculation
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.rewriting import constant_index

LARGEST = 1 << 24
"""A divisor beyond which the numbers of lanes might not fit 32 bits."""


class Quotient(NamedTuple):
    """`value` is `number` divided by `divisor`, rounded down, in 2 to `LARGEST`."""

    value: SSAValue
    number: SSAValue
    divisor: int


def quotient_in(
    index: SSAValue, is_uniform: Callable[[SSAValue], bool], ranges: IntegerRanges
) -> Quotient | None:
    """The quotient that lanes add something to, which they share, to get `index`."""
    for _ in range(LONGEST):
        match index.owner:
            case (arith.AddiOp() | arith.SubiOp()) as op if is_exact(op):
                if is_uniform(op.rhs):
                    index = op.lhs
                elif isinstance(op, arith.AddiOp) and is_uniform(op.lhs):
                    index = op.rhs
                else:
                    return None
            case arith.IndexCastOp() as op if extends(op):
                index = op.input
            case op:
                return _quotient(op, ranges)
    return None


def _quotient(op: Operation | Block, ranges: IntegerRanges) -> Quotient | None:
    if isinstance(op, Block) or len(op.operands) != 2:
        return None
    number, by = op.operands
    if (divisor := constant_index(by)) is None:
        return None
    division = IntegerDivision.of(op)
    match op:
        case arith.ShRUIOp() | arith.ShRSIOp() if 0 < divisor < LARGEST.bit_length():
            divisor = 1 << divisor
            is_floor = isinstance(op, arith.ShRSIOp)
        case _ if division is not None and division.quotient in _DOWN:
            is_floor = division.quotient is speculation.Quotient.DOWN
        case _:
            return None
    if not 2 <= divisor <= LARGEST:
        return None
    if not is_floor and ranges.of(number).low < 0:
        return None
    return Quotient(op.results[0], number, divisor)


_DOWN = (speculation.Quotient.DOWN, speculation.Quotient.TO_ZERO)
"""How quotients of numbers that are not negative are rounded down."""
