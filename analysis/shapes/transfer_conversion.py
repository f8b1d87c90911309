"""
Transfer functions of comparisons, of choices, and of conversions between types.

A comparison is uniform if its operands are, if their ranges, or what they are, decide it, and
also if no bound is crossed from the first lane to the last: operands of equal stride keep their distance, and an operand that
only moves away from the bound, by less than the next multiple of their alignments, does
not reach it. Extensions keep a stride only if it is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from xdsl.dialects import arith
from xdsl.ir import Operation

from spmd.analysis.op_table import OpTable
from spmd.analysis.ranges.integer_range import bit_width, power_of_two_part
from spmd.analysis.shapes.shape import UNIFORM, VARYING, Shape, join_all
from spmd.analysis.shapes.transfer import Lanes, TransferFunction, elementwise, strided
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.interfaces.computation import is_unsigned
from spmd.dialects.spmd import DimensionOp
from spmd.dialects.spmd.ids import Counts

CONVERSION: OpTable[TransferFunction] = OpTable()


EQUALITIES = (0, 1)  # eq, ne
LESS_EQUAL_OR_GREATER = (3, 4, 7, 8)  # sle, sgt, ule, ugt
SIGNED = (2, 3, 4, 5)  # slt, sle, sgt, sge; unsigned: 6 to 9 in the same order


@CONVERSION.of(arith.CmpiOp)
def _compare(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    x, y = operands
    if x.is_uniform and y.is_uniform:
        return UNIFORM
    assert isinstance(op, arith.CmpiOp)
    if bit_width(op.lhs.type) is None:
        return VARYING
    if _is_id_below_size(op) or lanes.constant(op.result) is not None:
        return UNIFORM
    if x.stride is None or y.stride is None:
        return VARYING
    distance = x.stride - y.stride
    predicate = op.predicate.value.data
    if predicate in EQUALITIES:
        # Equality does not care about wrapping.
        return UNIFORM if distance == 0 else VARYING
    exact = lanes.is_exact if predicate in SIGNED else lanes.is_exact_unsigned
    if not (exact(x, op.lhs) and exact(y, op.rhs)):
        return VARYING
    if distance == 0:
        return UNIFORM
    # lhs - rhs is `g*k + distance*t`: from a multiple of g up, or from one down.
    if predicate in LESS_EQUAL_OR_GREATER:
        distance = -distance
    step = gcd(x.alignment, y.alignment)
    if distance <= 0 or lanes.extent is None:
        return VARYING
    reached = step != 0 and distance * (lanes.extent - 1) >= step
    return VARYING if reached else UNIFORM


def _is_id_below_size(op: arith.CmpiOp) -> bool:
    """Whether an id is compared with the size that every such id is below."""
    for id_, size in ((op.lhs.owner, op.rhs.owner), (op.rhs.owner, op.lhs.owner)):
        limits = Counts.of(size)
        if limits is not None and isinstance(id_, limits.ids):
            return (
                not isinstance(id_, DimensionOp)
                or not isinstance(size, DimensionOp)
                or id_.dimension == size.dimension
            )
    return False


@CONVERSION.of(arith.TruncIOp)
def _truncate(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    (x,) = operands
    width = bit_width(op.results[0].type)
    if width is None:
        return elementwise(op, operands, lanes)
    if width == 1:
        even = x.stride is not None and x.stride % 2 == 0
        return UNIFORM if even else VARYING
    fits = lanes.ranges.of(op.operands[0]).fits(width)
    alignment = x.alignment if fits else power_of_two_part(x.alignment)
    if x.stride is None:
        return Shape.varying(alignment)
    # Numbers of this width wrap at multiples of a power of two, and lanes may reach none.
    step = gcd(power_of_two_part(x.alignment), 1 << width - 1)
    exact = fits and lanes.is_exact(x, op.operands[0])
    exact = exact or lanes.stays_below(x, step)
    return strided(x.stride, alignment, width, exact=exact)


@CONVERSION.of(arith.ExtSIOp)
def _extend_signed(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    (x,) = operands
    width = bit_width(op.operands[0].type)
    if width is None or width == 1:
        return elementwise(op, operands, lanes)
    if lanes.is_exact(x, op.operands[0]):
        if x.stride is None:
            return x
        return Shape.strided(x.stride, x.alignment)
    return Shape.varying(x.lane_alignment)


@CONVERSION.of(arith.ExtUIOp)
def _extend_unsigned(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    (x,) = operands
    if lanes.ranges.of(op.operands[0]).is_non_negative:
        return _extend_signed(op, operands, lanes)
    if x.is_uniform:
        return Shape.uniform(power_of_two_part(x.lane_alignment))
    return Shape.varying(power_of_two_part(x.lane_alignment))


@CONVERSION.of(arith.IndexCastOp, IndexCastUIOp)
def _index_cast(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    source = bit_width(op.operands[0].type)
    target = bit_width(op.results[0].type)
    if source is None or target is None:
        return elementwise(op, operands, lanes)
    if source == target:
        return operands[0]
    if source > target:
        return _truncate(op, operands, lanes)
    extend = _extend_unsigned if is_unsigned(op) else _extend_signed
    return extend(op, operands, lanes)


@CONVERSION.of(arith.SelectOp)
def _select(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    condition, *arms = operands
    if condition.is_uniform or op.operands[1] is op.operands[2]:
        return join_all(arms)
    return join_all(arm.diverged() for arm in arms)
