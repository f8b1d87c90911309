"""
Transfer functions of integer arithmetic: strides and alignments through `+ - * / % & |`.

Every rule holds for machine integers. An operation that may overflow keeps strides
modulo `2^N` (a wrapping shape) and of alignments only the part that is a power of two,
because `2^N` is a multiple of no other number. It is known not to overflow by its
`overflow<nsw>` flag or by the ranges of its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from xdsl.dialects import arith
from xdsl.ir import Operation

from spmd.analysis.op_table import OpTable
from spmd.analysis.ranges.integer_range import (
    bit_width,
    has_no_signed_wrap,
    power_of_two_part,
)
from spmd.analysis.ranges.range_rules import exact_result
from spmd.analysis.shapes.shape import (
    UNIFORM,
    VARYING,
    Shape,
)
from spmd.analysis.shapes.transfer import Lanes, TransferFunction, elementwise, strided
from spmd.dialects.interfaces.computation import is_unsigned

INTEGER: OpTable[TransferFunction] = OpTable()


def _width(op: Operation) -> int:
    width = bit_width(op.results[0].type)
    assert width is not None, "the rules are asked about scalars only"
    return width


def multiples(alignment: int, *, exact: bool) -> Shape:
    """Varying lanes that are multiples of a number before they may wrap."""
    return Shape.varying(alignment if exact else power_of_two_part(alignment))


def cannot_wrap(op: Operation, lanes: Lanes) -> bool:
    """Whether the signed result of an addition, subtraction or product always fits."""
    if has_no_signed_wrap(op):
        return True
    width = _width(op)
    exact = exact_result(op, [lanes.ranges.of(value) for value in op.operands], width)
    return exact is not None and exact.fits(width)


@INTEGER.of(arith.ConstantOp)
def _constant(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    value = lanes.constant(op.results[0])
    return UNIFORM if value is None else Shape.uniform(value)


@INTEGER.of(arith.AddiOp, arith.SubiOp)
def _linear(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    width = _width(op)
    x, y = operands
    fits = cannot_wrap(op, lanes)
    if x.stride is None or y.stride is None:
        return multiples(gcd(x.lane_alignment, y.lane_alignment), exact=fits)
    exact = (
        fits and lanes.is_exact(x, op.operands[0]) and lanes.is_exact(y, op.operands[1])
    )
    stride = (
        x.stride - y.stride if isinstance(op, arith.SubiOp) else x.stride + y.stride
    )
    return strided(stride, gcd(x.alignment, y.alignment), width, exact=exact)


def _scaled(op: Operation, x: Shape, index: int, factor: int, lanes: Lanes) -> Shape:
    """`x * factor`, where `x` is the shape of the operand at `index`."""
    width = _width(op)
    fits = cannot_wrap(op, lanes)
    if x.stride is None:
        return multiples(x.alignment * factor, exact=fits)
    exact = fits and lanes.is_exact(x, op.operands[index])
    return strided(x.stride * factor, x.alignment * factor, width, exact=exact)


@INTEGER.of(arith.MuliOp)
def _multiply(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    x, y = operands
    for index, shape in ((1, y), (0, x)):
        factor = lanes.constant(op.operands[1 - index])
        if factor is not None:
            return _scaled(op, shape, index, factor, lanes)
    fits = cannot_wrap(op, lanes)
    product = x.lane_alignment * y.lane_alignment
    if x.is_uniform and y.is_uniform:
        return Shape.uniform(product if fits else power_of_two_part(product))
    return multiples(product, exact=fits)


@INTEGER.of(arith.ShLIOp)
def _shift_left(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    width = _width(op)
    x, amount = operands
    places = lanes.constant(op.operands[1])
    if places is not None and 0 <= places < width:
        return _scaled(op, x, 0, 1 << places, lanes)
    # The amount may be 0: no alignment is gained.
    alignment = x.lane_alignment
    if x.is_uniform and amount.is_uniform:
        return Shape.uniform(
            alignment if cannot_wrap(op, lanes) else power_of_two_part(alignment)
        )
    return multiples(alignment, exact=cannot_wrap(op, lanes))


def _operand_is_exact(op: Operation, index: int, x: Shape, lanes: Lanes) -> bool:
    """Whether the lanes are strided in the signedness in which `op` reads them."""
    value = op.operands[index]
    if is_unsigned(op):
        return lanes.is_exact_unsigned(x, value)
    return lanes.is_exact(x, value)


def _quotient(op: Operation, x: Shape, y: Shape, divisor: int, lanes: Lanes) -> Shape:
    """`x / divisor` by a constant; `y` is the shape of the divisor."""
    value = op.operands[0]
    unsigned = is_unsigned(op)
    non_negative = lanes.ranges.of(value).is_non_negative
    if unsigned and not (non_negative and divisor > 0):
        return elementwise(op, (x, y), lanes)
    divides = x.alignment % divisor == 0 and (x.stride or 0) % divisor == 0
    if x.stride == 0:
        return Shape.uniform(x.alignment // divisor) if divides else UNIFORM
    if x.stride is not None and divides and _operand_is_exact(op, 0, x, lanes):
        return Shape.strided(x.stride // divisor, x.alignment // divisor)
    whole = x.lane_alignment % divisor == 0
    return Shape.varying(x.lane_alignment // divisor if whole else 1)


@INTEGER.of(
    arith.DivSIOp,
    arith.DivUIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.ShRSIOp,
    arith.ShRUIOp,
)
def _divide(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    width = _width(op)
    x, y = operands
    divisor = lanes.constant(op.operands[1])
    if isinstance(op, arith.ShRUIOp | arith.ShRSIOp):
        known = divisor is not None and 0 <= divisor < width
        divisor = 1 << divisor if divisor is not None and known else None
    result = elementwise(op, operands, lanes)
    if divisor is not None and divisor != 0:
        result = _quotient(op, x, y, divisor, lanes)
    step = _divisor_step(op, y, divisor, lanes)
    # No lane is across a multiple of the divisor from the first lane.
    if (
        result.is_varying
        and step is not None
        and _operand_is_exact(op, 0, x, lanes)
        and lanes.stays_below(x, gcd(x.alignment, step))
    ):
        return UNIFORM
    return result


def _divisor_step(
    op: Operation, y: Shape, divisor: int | None, lanes: Lanes
) -> int | None:
    """
    A number that divides a uniform divisor, if the quotient is the same for all dividends
    from one multiple of it to the next.
    """
    floors = isinstance(op, arith.FloorDivSIOp | arith.ShRSIOp)
    if not floors and not lanes.ranges.of(op.operands[0]).is_non_negative:
        return None
    match op:
        case arith.ShRUIOp() | arith.ShRSIOp():
            return divisor
        case arith.DivSIOp():
            return y.alignment if y.is_uniform else None
        case arith.DivUIOp():
            # Read as unsigned, only the power of two of the alignment divides it.
            return power_of_two_part(y.alignment) if y.is_uniform else None
        case arith.FloorDivSIOp() if lanes.ranges.of(op.operands[1]).low > 0:
            return y.alignment if y.is_uniform else None
        case _:
            return None


@INTEGER.of(arith.RemSIOp, arith.RemUIOp)
def _remainder(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    x, y = operands
    known = lanes.ranges.of(op.operands[0])
    common = gcd(x.lane_alignment, y.lane_alignment)
    if isinstance(op, arith.RemUIOp) and not known.is_non_negative:
        return UNIFORM if x.is_uniform and y.is_uniform else VARYING
    if x.stride is None or y.stride != 0:
        return Shape.varying(common)
    if x.stride == 0:
        return Shape.uniform(common)
    if not known.is_non_negative or not _operand_is_exact(op, 0, x, lanes):
        return Shape.varying(common)
    step = gcd(x.alignment, y.alignment)
    divisor = lanes.constant(op.operands[1])
    first = 0 if step == divisor else step  # of the first lane
    if divisor is not None and divisor > 0 and x.stride % divisor == 0:
        return Shape.uniform(first)
    if lanes.stays_below(x, step):
        return Shape.strided(x.stride, first)
    return Shape.varying(common)


@INTEGER.of(arith.AndIOp)
def _and(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    width = _width(op)
    if width == 1:
        return elementwise(op, operands, lanes)
    x, y = operands
    if x.is_zero or y.is_zero:
        return Shape.uniform(0)
    alignment = max(
        power_of_two_part(x.lane_alignment), power_of_two_part(y.lane_alignment)
    )
    if x.is_uniform and y.is_uniform:
        return Shape.uniform(alignment)
    for shape, index in ((x, 1), (y, 0)):
        mask = lanes.constant(op.operands[index])
        if mask is not None and shape.stride is not None:
            masked = _masked(shape, mask, width, lanes)
            if masked is not None:
                return masked
    return Shape.varying(alignment)


def _masked(x: Shape, mask: int, width: int, lanes: Lanes) -> Shape | None:
    """`x & mask` where the mask keeps the low or the high bits of a strided value."""
    assert x.stride is not None
    low = mask & ((1 << width) - 1)
    low_bits = low & (low + 1) == 0
    period = low + 1 if low_bits else power_of_two_part(low)
    if not low_bits and (low + period) % (1 << width) != 0:
        return None
    if low_bits and period == 1 << width:
        return x
    # Both are exact modulo 2^N: no lane carries into or out of the low bits.
    step = gcd(power_of_two_part(x.alignment), period)
    kept = 0 if step == period else step  # the low bits of the first lane
    if x.stride % period == 0:
        if low_bits:
            return Shape.uniform(kept)
        return Shape.strided(x.stride, period, wraps=x.wraps)
    if lanes.stays_below(x, step):
        return Shape.strided(x.stride, kept) if low_bits else Shape.uniform(period)
    return None


@INTEGER.of(arith.OrIOp, arith.XOrIOp)
def _or(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    width = _width(op)
    if width == 1:
        return elementwise(op, operands, lanes)
    x, y = operands
    alignment = power_of_two_part(gcd(x.lane_alignment, y.lane_alignment))
    if x.is_uniform and y.is_uniform:
        return Shape.uniform(alignment)
    for shape, index in ((x, 1), (y, 0)):
        bits = lanes.constant(op.operands[index])
        if bits is None or bits < 0 or shape.stride is None:
            continue
        # The bits are 0 in every lane: `or` and `xor` add, and nothing carries.
        free = power_of_two_part(shape.lane_alignment)
        if free == 0 or bits < free:
            return Shape.strided(
                shape.stride,
                power_of_two_part(gcd(shape.alignment, bits)),
                wraps=shape.wraps,
            )
    if isinstance(op, arith.XOrIOp):
        for shape, index in ((x, 1), (y, 0)):
            if lanes.constant(op.operands[index]) == -1 and shape.stride is not None:
                return Shape.strided(-shape.stride, 1, wraps=shape.wraps)
    return Shape.varying(alignment)


@INTEGER.of(arith.MinSIOp, arith.MinUIOp, arith.MaxSIOp, arith.MaxUIOp)
def _least_or_greatest(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    x, y = operands
    first, second = (lanes.ranges.of(operand) for operand in op.operands)
    unsigned = is_unsigned(op)
    if not unsigned or (first.is_non_negative and second.is_non_negative):
        least = isinstance(op, arith.MinSIOp | arith.MinUIOp)
        if first.high <= second.low:
            return x if least else y
        if second.high <= first.low:
            return y if least else x
    elif not (x.is_uniform and y.is_uniform):
        return Shape.varying(gcd(x.lane_alignment, y.lane_alignment))
    # Equal strides: the same side wins in every lane.
    exact = lanes.is_exact(x, op.operands[0]) and lanes.is_exact(y, op.operands[1])
    if x.stride is not None and x.stride == y.stride and exact:
        return x.join(y)
    return Shape.varying(gcd(x.lane_alignment, y.lane_alignment))
