"""What integer divisions leave, and how that is rounded down."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from spmd.dialects.interfaces.computation import is_unsigned
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.limits import MAX_LANES
from spmd.dialects.names import PREDICATES
from spmd.dialects.rewriting import constant_index


def is_remainder(op: Operation | Block) -> bool:
    """Whether `op` is what an integer division leaves."""
    if isinstance(op, Block) or (division := IntegerDivision.of(op)) is None:
        return False
    return division.quotient is None


def leaves_digits(divisor: SSAValue) -> bool:
    """Whether `divisor` is so small a number that a sub-group has several rows, or all of a row."""
    known = constant_index(divisor)
    return known is not None and known <= MAX_LANES


def rounded_down(op: arith.SelectOp) -> SSAValue | None:
    """The remainder `r` of `r < 0 ? r + d : r`, where the signs of `r` and `d` differ."""
    rest, more, asked = op.rhs, op.lhs.owner, op.cond.owner
    division = rest.owner
    if not is_remainder(division) or not isinstance(more, arith.AddiOp):
        return None
    assert isinstance(division, Operation), "a remainder is none of a block"
    divisor = division.operands[1]
    if set(more.operands) != {rest, divisor} or is_unsigned(division):
        return None
    if isinstance(asked, arith.AndIOp):
        one, two = asked.lhs.owner, asked.rhs.owner
        tests = [each for each in (one, two) if isinstance(each, arith.CmpiOp)]
        differs = any(_compares(each, "ne", {rest}) for each in tests)
        sign = any(_compares(each, "slt", {rest, divisor}) for each in tests)
        return rest if differs and sign else None
    is_test = isinstance(asked, arith.CmpiOp)
    return rest if is_test and _compares(asked, "slt", {rest}) else None


def _compares(op: arith.CmpiOp, how: str, values: set[SSAValue]) -> bool:
    """Whether `op` compares with 0 a value, or the exclusive or of two."""
    side = op.lhs.owner
    both = set(side.operands) if isinstance(side, arith.XOrIOp) else {op.lhs}
    zero = constant_index(op.rhs) == 0
    return zero and PREDICATES[op.predicate.value.data] == how and both == values
