"""
The range of the result of each operation, from the ranges of its operands.

A range holds for what every lane computes, also those that are off in a `spmd.masked` around
the operation: they compute from garbage, and divide by 1 instead of what may be 0.

The ids and sizes of a launch are bounded by `MAX_GLOBAL_SIZE` and `MAX_GROUP_SIZE`, which a
launch checks, so that `global_id + 1` is known not to wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Operation

from spmd.analysis.ranges.integer_range import (
    IntegerRange,
    bit_width,
    has_no_signed_wrap,
    power_of_two_part,
)
from spmd.dialects.enclosing import enclosing
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import (
    MAX_GROUP_SIZE,
    MAX_SUB_GROUP_SIZE,
    BroadcastOp,
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    KernelOp,
    Kind,
    LaneIdOp,
    LocalIdOp,
    LocalSizeOp,
    MaskedOp,
    NumGroupsOp,
    NumSubGroupsOp,
    ReduceOp,
    SubGroupIdOp,
    SubGroupSizeOp,
    neutral_element,
)

MAX_GLOBAL_SIZE = 1 << 48
"""The largest number of work-items of a launch."""


# Rules: (op, ranges of the inputs, width of the result) -> range of the result.

Rule = Callable[[Operation, Sequence[IntegerRange], int], IntegerRange]


def _constant(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    value = op.properties.get("value")
    if isinstance(value, IntegerAttr):
        number = value.value.data
        if width > 1 and number >= 1 << (width - 1):
            number -= 1 << width  # written as an unsigned number
        return IntegerRange.constant(-(number & 1) if width == 1 else number)
    return IntegerRange.of_width(width)


def _add(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    total = IntegerRange(x.low + y.low, x.high + y.high, gcd(x.divisor, y.divisor))
    return total.clamped(width, has_no_signed_wrap(op))


def _subtract(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, y = inputs
    total = IntegerRange(x.low - y.high, x.high - y.low, gcd(x.divisor, y.divisor))
    return total.clamped(width, has_no_signed_wrap(op))


def _multiply(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, y = inputs
    corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    total = IntegerRange(min(corners), max(corners), x.divisor * y.divisor)
    return total.clamped(width, has_no_signed_wrap(op))


def _shift_left(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, amount = inputs
    if amount.value is None or not 0 <= amount.value < width:
        return IntegerRange.of_width(width)
    factor = 1 << amount.value
    total = IntegerRange(x.low * factor, x.high * factor, x.divisor * factor)
    return total.clamped(width, has_no_signed_wrap(op))


def _shift_right(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, amount = inputs
    if amount.value is None or not 0 <= amount.value < width:
        return IntegerRange.of_width(width)
    if isinstance(op, arith.ShRUIOp) and not x.is_non_negative:
        if amount.value == 0:
            return x
        return IntegerRange(0, (1 << (width - amount.value)) - 1)
    factor = 1 << amount.value
    divisor = x.divisor // factor if x.divisor % factor == 0 else 1
    return IntegerRange(x.low >> amount.value, x.high >> amount.value, divisor)


def _may_divide_by_one(op: Operation) -> bool:
    """Whether inactive lanes divide by 1 instead."""
    return constant_index(op.operands[1]) is None and isinstance(
        op.parent_op(), MaskedOp
    )


def _divide(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    if y.low <= 0 or not x.is_non_negative:
        return IntegerRange.of_width(width)
    up = isinstance(op, arith.CeilDivSIOp | arith.CeilDivUIOp)
    divisor = 1
    if y.value is not None and x.divisor % y.value == 0:
        divisor = x.divisor // y.value
    quotient = IntegerRange(
        -(-x.low // y.high) if up else x.low // y.high,
        -(-x.high // y.low) if up else x.high // y.low,
        divisor,
    )
    return quotient.join(x) if _may_divide_by_one(op) else quotient


def _remainder(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, y = inputs
    if not x.is_non_negative or y.low <= 0:
        return IntegerRange.of_width(width)
    if x.high < y.low:
        zero = IntegerRange.constant(0)
        return x.join(zero) if _may_divide_by_one(op) else x
    return IntegerRange(0, min(x.high, y.high - 1), gcd(x.divisor, y.divisor))


def _and(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    divisor = max(power_of_two_part(x.divisor), power_of_two_part(y.divisor))
    if 0 in (x.divisor, y.divisor):
        return IntegerRange.constant(0)
    bounds = [z.high for z in inputs if z.is_non_negative]
    if bounds:
        return IntegerRange(0, min(bounds), divisor)
    return IntegerRange.of_width(width, divisor)


def _or(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    divisor = gcd(power_of_two_part(x.divisor), power_of_two_part(y.divisor))
    if x.is_non_negative and y.is_non_negative:
        low = 0 if isinstance(op, arith.XOrIOp) else max(x.low, y.low)
        return IntegerRange(low, (1 << (x.high | y.high).bit_length()) - 1, divisor)
    return IntegerRange.of_width(width, divisor)


def _minimum(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    divisor = gcd(x.divisor, y.divisor)
    if isinstance(op, arith.MinUIOp) and not (x.is_non_negative and y.is_non_negative):
        bounds = [z.high for z in inputs if z.is_non_negative]
        if bounds:
            return IntegerRange(0, min(bounds), divisor)
        return x.join(y)
    return IntegerRange(min(x.low, y.low), min(x.high, y.high), divisor)


def _maximum(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    if isinstance(op, arith.MaxUIOp) and not (x.is_non_negative and y.is_non_negative):
        return x.join(y)
    divisor = gcd(x.divisor, y.divisor)
    return IntegerRange(max(x.low, y.low), max(x.high, y.high), divisor)


def _either(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    result = inputs[0]
    for other in inputs[1:]:
        result = result.join(other)
    return result


def _sign_extend(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    return inputs[0].clamped(width, False)  # truncates as well: index_cast


def _of_another_lane(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    return inputs[0]


def _of_some_lane(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    """The least or greatest of all lanes is what one of them has."""
    assert isinstance(op, ReduceOp)
    kind = op.kind.data
    if kind not in (Kind.MIN, Kind.MAX, Kind.MINUI, Kind.MAXUI):
        return IntegerRange.of_width(width)
    # What inactive lanes have, if there are no others.
    neutral = neutral_element(kind, op.result.type).value.data
    if isinstance(neutral, float):
        return inputs[0]
    return inputs[0].join(IntegerRange.constant(neutral))


def _zero_extend(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    (x,) = inputs
    source = bit_width(op.operands[0].type)
    if x.is_non_negative or source is None:
        return x
    return IntegerRange(0, (1 << source) - 1, power_of_two_part(x.divisor))


def _dimension_of_memref(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    assert isinstance(op, memref.DimOp)
    type_ = op.source.type
    axis = inputs[1].value
    if isinstance(type_, MemRefType) and axis is not None:
        extents = type_.get_shape()
        if 0 <= axis < len(extents) and extents[axis] >= 0:
            return IntegerRange.constant(extents[axis])
    return IntegerRange(0, MAX_GLOBAL_SIZE)


def nominal_size(op: Operation) -> tuple[int, int, int] | None:
    """The fixed work-group size of the kernel around `op`, if there is one."""
    kernel = enclosing(op, KernelOp)
    return None if kernel is None else kernel.group_size


def _launch_dimension(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    assert isinstance(op, DimensionOp)
    kernel = enclosing(op, KernelOp)
    sizes = None if kernel is None else kernel.group_size
    size = None if sizes is None else sizes[op.dimension.data.number]
    largest = MAX_GROUP_SIZE if size is None else size
    match op:
        case LocalIdOp():
            return IntegerRange(0, largest - 1, 0 if largest == 1 else 1)
        case LocalSizeOp() if size and kernel and kernel.has_full_groups:
            return IntegerRange.constant(size)
        case LocalSizeOp():
            return IntegerRange(1, largest)
        case EnqueuedLocalSizeOp():
            return IntegerRange.constant(size) if size else IntegerRange(1, largest)
        case GlobalSizeOp() | NumGroupsOp():
            return IntegerRange(1, MAX_GLOBAL_SIZE)
        case GlobalIdOp() | GroupIdOp():
            return IntegerRange(0, MAX_GLOBAL_SIZE - 1)
        case _:
            return IntegerRange.of_width(width)


def _sub_group_query(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    match op:
        case LaneIdOp():
            return IntegerRange(0, MAX_SUB_GROUP_SIZE - 1)
        case SubGroupSizeOp():
            return IntegerRange(1, MAX_SUB_GROUP_SIZE)
        case _:
            return IntegerRange(0, MAX_GROUP_SIZE)


RULES: dict[type[object], Rule] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _add,
    arith.SubiOp: _subtract,
    arith.MuliOp: _multiply,
    arith.ShLIOp: _shift_left,
    arith.ShRUIOp: _shift_right,
    arith.ShRSIOp: _shift_right,
    arith.DivUIOp: _divide,
    arith.DivSIOp: _divide,
    arith.FloorDivSIOp: _divide,
    arith.CeilDivSIOp: _divide,
    arith.CeilDivUIOp: _divide,
    arith.RemUIOp: _remainder,
    arith.RemSIOp: _remainder,
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _or,
    arith.MinSIOp: _minimum,
    arith.MinUIOp: _minimum,
    arith.MaxSIOp: _maximum,
    arith.MaxUIOp: _maximum,
    arith.SelectOp: _either,
    scf.IfOp: _either,
    MaskedOp: _either,
    ReduceOp: _of_some_lane,
    arith.IndexCastOp: _sign_extend,
    arith.ExtSIOp: _sign_extend,
    arith.TruncIOp: _sign_extend,
    BroadcastOp: _of_another_lane,
    arith.ExtUIOp: _zero_extend,
    memref.DimOp: _dimension_of_memref,
    LocalIdOp: _launch_dimension,
    LocalSizeOp: _launch_dimension,
    EnqueuedLocalSizeOp: _launch_dimension,
    GlobalSizeOp: _launch_dimension,
    GlobalIdOp: _launch_dimension,
    GroupIdOp: _launch_dimension,
    NumGroupsOp: _launch_dimension,
    LaneIdOp: _sub_group_query,
    SubGroupIdOp: _sub_group_query,
    SubGroupSizeOp: _sub_group_query,
    NumSubGroupsOp: _sub_group_query,
}
