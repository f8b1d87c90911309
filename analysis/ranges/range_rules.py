"""
The range of the result of each operation, from the ranges of its operands.

A range holds for what every lane computes, also those that are off in a `spmd.masked` around
the operation: they compute from garbage, and divide by 1 instead of what may be 0.

The ids and sizes of a launch are bounded by `MAX_EXTENT` and `MAX_GROUP_SIZE`, which a launch
checks, so that `global_id + 1` is known not to wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Operation

from spmd.analysis.op_table import OpTable
from spmd.analysis.ranges.blends import range_of_blend
from spmd.analysis.ranges.integer_range import (
    IntegerRange,
    bit_width,
    has_no_signed_wrap,
    power_of_two_part,
)
from spmd.dialects import names
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.enclosing import enclosing, is_small
from spmd.dialects.limits import (
    FEW_ITEMS,
    MAX_EXTENT,
    MAX_GROUP_SIZE,
    MAX_SUB_GROUP_SIZE,
    SMALL_ARRAY,
)
from spmd.dialects.names import FIRST_UNSIGNED, NEGATED, SWAPPED
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import (
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
    SubGroupOp,
    SubGroupSizeOp,
    neutral_element,
)

Ranges = Sequence[IntegerRange]
Rule = Callable[[Operation, Ranges, int], IntegerRange]
"""From an op, the ranges of its inputs and the width of its result to the range of that."""

RULES: OpTable[Rule] = OpTable()


@RULES.of(arith.ConstantOp)
def _constant(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    value = op.properties.get("value")
    if isinstance(value, IntegerAttr):
        number = value.value.data
        return IntegerRange.constant(-(number & 1) if width == 1 else number)
    return IntegerRange.of_width(width)


def exact_result(op: Operation, inputs: Ranges, width: int) -> IntegerRange | None:
    """What a sum, difference, product or shift to the left would be if it did not wrap."""
    x, y = inputs[:2]
    match op:
        case arith.AddiOp():
            low, high, divisor = (
                x.low + y.low,
                x.high + y.high,
                gcd(x.divisor, y.divisor),
            )
        case arith.SubiOp():
            low, high, divisor = (
                x.low - y.high,
                x.high - y.low,
                gcd(x.divisor, y.divisor),
            )
        case arith.MuliOp():
            corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
            low, high, divisor = min(corners), max(corners), x.divisor * y.divisor
        case arith.ShLIOp() if y.value is not None and 0 <= y.value < width:
            low, high, divisor = (n << y.value for n in (x.low, x.high, x.divisor))
        case _:
            return None
    return IntegerRange(low, high, divisor)


@RULES.of(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp)
def _linear(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    exact = exact_result(op, inputs, width)
    if exact is None:
        return IntegerRange.of_width(width)
    if len(inputs) > 2 and (blend := range_of_blend(*inputs[2:], width=width)):
        exact = exact.meet(blend)
    return exact.clamped(width, has_no_signed_wrap(op))


@RULES.of(arith.ShRUIOp, arith.ShRSIOp)
def _shift_right(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
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


@RULES.of(
    arith.DivUIOp,
    arith.DivSIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
)
def _divide(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
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


@RULES.of(arith.RemUIOp, arith.RemSIOp)
def _remainder(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    x, y = inputs
    if not x.is_non_negative or y.low <= 0:
        return IntegerRange.of_width(width)
    if x.high < y.low:
        zero = IntegerRange.constant(0)
        return x.join(zero) if _may_divide_by_one(op) else x
    if y.value is not None and x.divisor % y.value == 0:
        return IntegerRange.constant(0)
    return IntegerRange(0, min(x.high, y.high - 1), gcd(x.divisor, y.divisor))


@RULES.of(arith.CmpiOp)
def _compare(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    """All that the operands can be may compare in one way."""
    assert isinstance(op, arith.CmpiOp)
    x, y = inputs
    predicate = op.predicate.value.data
    unsigned = predicate >= FIRST_UNSIGNED
    if unsigned and not (x.is_non_negative and y.is_non_negative):
        return IntegerRange.of_width(1)
    if holds_for_all(x, predicate, y):
        return IntegerRange.constant(-1)
    if holds_for_all(x, NEGATED[predicate], y):
        return IntegerRange.constant(0)
    return IntegerRange.of_width(1)


def holds_for_all(x: IntegerRange, predicate: int, y: IntegerRange) -> bool:
    """Whether all of `x` compare with all of `y` so, as signed integers."""
    match predicate:
        case 0:  # eq
            return x.value is not None and x.value == y.value
        case 1:  # ne
            return x.high < y.low or x.low > y.high
        case 2 | 6:  # slt, ult
            return x.high < y.low
        case 3 | 7:  # sle, ule
            return x.high <= y.low
        case _:  # sgt, sge, ugt, uge
            return holds_for_all(y, SWAPPED[predicate], x)


@RULES.of(arith.AndIOp)
def _and(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    x, y = inputs
    if x.value is not None and y.value is not None:
        return IntegerRange.constant(x.value & y.value)
    divisor = max(power_of_two_part(x.divisor), power_of_two_part(y.divisor))
    if 0 in (x.divisor, y.divisor):
        return IntegerRange.constant(0)
    bounds = [z.high for z in inputs if z.is_non_negative]
    if bounds:
        return IntegerRange(0, min(bounds), divisor)
    return IntegerRange.of_width(width, divisor)


@RULES.of(arith.OrIOp, arith.XOrIOp)
def _or(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    x, y = inputs
    if x.value is not None and y.value is not None:
        xor = isinstance(op, arith.XOrIOp)
        return IntegerRange.constant(x.value ^ y.value if xor else x.value | y.value)
    divisor = gcd(power_of_two_part(x.divisor), power_of_two_part(y.divisor))
    if x.is_non_negative and y.is_non_negative:
        low = 0 if isinstance(op, arith.XOrIOp) else max(x.low, y.low)
        return IntegerRange(low, (1 << (x.high | y.high).bit_length()) - 1, divisor)
    return IntegerRange.of_width(width, divisor)


@RULES.of(arith.MinSIOp, arith.MinUIOp)
def _minimum(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    x, y = inputs
    divisor = gcd(x.divisor, y.divisor)
    if isinstance(op, arith.MinUIOp) and not (x.is_non_negative and y.is_non_negative):
        bounds = [z.high for z in inputs if z.is_non_negative]
        if bounds:
            return IntegerRange(0, min(bounds), divisor)
        return x.join(y)
    return IntegerRange(min(x.low, y.low), min(x.high, y.high), divisor)


@RULES.of(arith.MaxSIOp, arith.MaxUIOp)
def _maximum(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    x, y = inputs
    if isinstance(op, arith.MaxUIOp) and not (x.is_non_negative and y.is_non_negative):
        return x.join(y)
    divisor = gcd(x.divisor, y.divisor)
    return IntegerRange(max(x.low, y.low), max(x.high, y.high), divisor)


@RULES.of(arith.SelectOp, scf.IfOp, MaskedOp)
def _either(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    result = inputs[0]
    for other in inputs[1:]:
        result = result.join(other)
    return result


@RULES.of(arith.IndexCastOp, arith.ExtSIOp, arith.TruncIOp)
def _sign_extend(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    return inputs[0].clamped(width, False)  # truncates as well: index_cast


@RULES.of(BroadcastOp)
def _of_another_lane(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    return inputs[0]


@RULES.of(ReduceOp)
def _of_some_lane(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    """The least or greatest of all lanes is what one of them has."""
    assert isinstance(op, ReduceOp)
    kind = op.kind.data
    if kind not in (Kind.MIN, Kind.MAX, Kind.MINUI, Kind.MAXUI):
        return IntegerRange.of_width(width)
    # What inactive lanes have, if there are no others.
    neutral = neutral_element(kind, op.result.type).value.data
    assert isinstance(neutral, int)
    return inputs[0].join(IntegerRange.constant(neutral))


@RULES.of(arith.ExtUIOp, IndexCastUIOp)
def _zero_extend(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    (x,) = inputs
    source = bit_width(op.operands[0].type)
    if source is not None and source >= width:
        return x.clamped(width, False)  # index_castui keeps or drops bits as well
    if x.is_non_negative or source is None:
        return x
    return IntegerRange(0, (1 << source) - 1, power_of_two_part(x.divisor))


@RULES.of(memref.DimOp)
def _dimension_of_memref(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    assert isinstance(op, memref.DimOp)
    type_ = op.source.type
    axis = inputs[1].value
    if isinstance(type_, MemRefType) and axis is not None:
        extents = type_.get_shape()
        if 0 <= axis < len(extents) and extents[axis] >= 0:
            return IntegerRange.constant(extents[axis])
    if isinstance(op.source.owner, memref.ReinterpretCastOp):
        return IntegerRange(
            0, IntegerRange.of_width(width).high
        )  # any, by strides of 0
    return IntegerRange(0, SMALL_ARRAY - 1 if is_small(op.source) else MAX_EXTENT)


def nominal_size(op: DimensionOp) -> int | None:
    """The work-group size in the dimension of `op` that the kernel around it fixes."""
    kernel = enclosing(op, KernelOp)
    if kernel is None or kernel.group_size is None:
        return None
    return kernel.group_size[op.dimension.data.number]


@RULES.of(LocalIdOp, LocalSizeOp, EnqueuedLocalSizeOp)
def _in_work_group(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    assert isinstance(op, DimensionOp)
    size = nominal_size(op)
    largest = MAX_GROUP_SIZE if size is None else size
    if isinstance(op, LocalIdOp):
        if largest == 1:
            return IntegerRange.constant(0)
        return IntegerRange(0, largest - 1)
    kernel = enclosing(op, KernelOp)
    may_be_smaller = isinstance(op, LocalSizeOp) and not (
        kernel is not None and kernel.has_full_groups
    )
    if size is None or may_be_smaller:
        return IntegerRange(1, largest)
    return IntegerRange.constant(size)


def most_items(kernel: Operation | None) -> int:
    """How many work-items a launch of a kernel, or of what was made of it, may have."""
    few = kernel is not None and names.FEW_ITEMS in kernel.attributes
    return FEW_ITEMS - 1 if few else MAX_EXTENT


@RULES.of(GlobalSizeOp, NumGroupsOp)
def _extent(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    return IntegerRange(1, most_items(enclosing(op, KernelOp)))


@RULES.of(GlobalIdOp, GroupIdOp)
def _in_launch(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    return IntegerRange(0, most_items(enclosing(op, KernelOp)) - 1)


@RULES.of(LaneIdOp, SubGroupIdOp, SubGroupSizeOp, NumSubGroupsOp)
def _sub_group_query(op: Operation, inputs: Ranges, width: int) -> IntegerRange:
    match op:
        case LaneIdOp():
            group = enclosing(op, SubGroupOp)
            lanes = MAX_SUB_GROUP_SIZE if group is None else group.width
            return IntegerRange(0, lanes - 1)
        case SubGroupSizeOp():
            return IntegerRange(1, MAX_SUB_GROUP_SIZE)
        case _:
            return IntegerRange(0, MAX_GROUP_SIZE)
