"""
What arithmetic makes of expressions.

A result is that of the machine as long as nothing wrapped, which ranges prove or the
expression requires.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation

from spmd.analysis.footprints.expressions import Expression, Requirement, all_of
from spmd.analysis.memory.polynomials import Alternative, Atom, Polynomial
from spmd.analysis.op_table import OpTable
from spmd.analysis.ranges.integer_range import (
    IntegerRange,
    bit_width,
    has_no_signed_wrap,
)
from spmd.analysis.ranges.range_rules import exact_result
from spmd.dialects.compat.missing_arith import IndexCastUIOp

Rule = Callable[
    [Operation, Sequence[Expression], Sequence[IntegerRange]], Expression | None
]
"""From an op, its operands and their ranges to its result; `None`: nothing is said."""

RULES: OpTable[Rule] = OpTable()

_MOST_TERMS = 24
"""Of a polynomial; a longer one is not worth its time."""

Ranges = Sequence[IntegerRange]
Operands = Sequence[Expression]


def result(value: Polynomial, parts: Operands, *more: Requirement) -> Expression | None:
    """An expression made of parts."""
    if len(value.terms) > _MOST_TERMS or any(len(m) > 3 for m in value.terms):
        return None
    return Expression(value, all_of((*(part.requires for part in parts), more)))


def fits(value: Polynomial, width: int) -> Requirement:
    """`value` is a signed integer of this width."""
    whole = IntegerRange.of_width(width)
    return Requirement(value, whole.low, whole.high)


def not_less(value: Polynomial, low: int) -> Requirement:
    """`value` is at least `low`."""
    return Requirement(value, low, IntegerRange.of_width(64).high)


@RULES.of(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp)
def _linear(op: Operation, operands: Operands, ranges: Ranges) -> Expression | None:
    x, y = (operand.value for operand in operands)
    width = bit_width(op.results[0].type) or 64
    match op:
        case arith.AddiOp():
            value = x + y
        case arith.SubiOp():
            value = x - y
        case arith.MuliOp():
            value = x * y
        case _:
            amount = y.constant
            if amount is None or not 0 <= amount < width:
                return None
            value = x * (1 << amount)
    exact = exact_result(op, ranges, width)
    if has_no_signed_wrap(op) or (exact is not None and exact.fits(width)):
        return result(value, operands)
    return result(value, operands, fits(value, width))


@RULES.of(
    arith.DivUIOp,
    arith.DivSIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.RemUIOp,
    arith.RemSIOp,
)
def _divide(op: Operation, operands: Operands, ranges: Ranges) -> Expression | None:
    x, y = (operand.value for operand in operands)
    up = isinstance(op, arith.CeilDivSIOp | arith.CeilDivUIOp)
    quotient = floor_of(x + y - 1 if up else x, y)
    value = quotient
    if isinstance(op, arith.RemUIOp | arith.RemSIOp):
        value = x - quotient * y
    required: list[Requirement] = []
    if not ranges[0].is_non_negative:
        required.append(not_less(x, 0))
    if ranges[1].low < 1:
        required.append(not_less(y, 1))
    return result(value, operands, *required)


@RULES.of(arith.ShRUIOp, arith.ShRSIOp)
def _shift_right(
    op: Operation, operands: Operands, ranges: Ranges
) -> Expression | None:
    x, y = (operand.value for operand in operands)
    amount = y.constant
    if amount is None or not 0 <= amount < (bit_width(op.results[0].type) or 64):
        return None
    quotient = floor_of(x, Polynomial.of(1 << amount))
    if isinstance(op, arith.ShRSIOp) or ranges[0].is_non_negative:
        return result(quotient, operands)
    return result(quotient, operands, not_less(x, 0))


@RULES.of(arith.AndIOp)
def _mask(op: Operation, operands: Operands, ranges: Ranges) -> Expression | None:
    """The last bits are what a division leaves, also of negative numbers."""
    x, y = (operand.value for operand in operands)
    mask = y.constant
    if mask is None or mask <= 0 or mask & (mask + 1):
        return None
    size = Polynomial.of(mask + 1)
    return result(x - floor_of(x, size) * size, operands)


@RULES.of(arith.MinSIOp, arith.MinUIOp, arith.MaxSIOp, arith.MaxUIOp)
def _least(op: Operation, operands: Operands, ranges: Ranges) -> Expression | None:
    x, y = (operand.value for operand in operands)
    least = isinstance(op, arith.MinSIOp | arith.MinUIOp)
    value = minimum(x, y) if least else -minimum(-x, -y)
    required: list[Requirement] = []
    if isinstance(op, arith.MinUIOp | arith.MaxUIOp):
        pairs = zip((x, y), ranges, strict=True)
        required += [not_less(v, 0) for v, r in pairs if not r.is_non_negative]
    return result(value, operands, *required)


@RULES.of(arith.IndexCastOp, arith.ExtSIOp, arith.TruncIOp)
def _resize(op: Operation, operands: Operands, ranges: Ranges) -> Expression | None:
    (x,) = operands
    width = bit_width(op.results[0].type) or 64
    if ranges[0].fits(width):
        return x
    return result(x.value, operands, fits(x.value, width))


@RULES.of(arith.ExtUIOp, IndexCastUIOp)
def _zero_extend(
    op: Operation, operands: Operands, ranges: Ranges
) -> Expression | None:
    (x,) = operands
    if bit_width(op.operands[0].type) == 1:
        return None  # of a comparison
    width = bit_width(op.results[0].type) or 64
    required: list[Requirement] = []
    if not ranges[0].is_non_negative:
        required.append(not_less(x.value, 0))
    if not ranges[0].fits(width):
        required.append(fits(x.value, width))
    return result(x.value, operands, *required)


def floor_of(x: Polynomial, y: Polynomial) -> Polynomial:
    """`x` by `y`, which is positive, rounded down."""
    divisor = y.constant or 0
    if divisor > 0 and all(factor % divisor == 0 for factor in x.terms.values()):
        return Polynomial({m: factor // divisor for m, factor in x.terms.items()})
    atom = Atom("quotient")
    rest = x - y * Polynomial.of(atom)
    atom.alternatives = (Alternative(None, (rest, y - 1 - rest)),)
    return Polynomial.of(atom)


def minimum(x: Polynomial, y: Polynomial) -> Polynomial:
    """The smaller one."""
    if (difference := (x - y).constant) is not None:
        return x if difference <= 0 else y
    atom = Atom("smaller")
    atom.alternatives = (Alternative(x, (y - x,)), Alternative(y, (x - y - 1,)))
    return Polynomial.of(atom)
