"""Ops of `arith` and `math`: lane `i` of the result comes from lane `i` of the operands."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, i1, i8, i16, i32
from xdsl.ir import Operation, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.shapes.shape import Shape
from spmd.dialects.interfaces.computation import Elementwise, is_modular
from spmd.dialects.interfaces.cost import is_library_function
from spmd.dialects.interfaces.speculation import is_integer_division, may_trap
from spmd.dialects.names import PREDICATES, SWAPPED
from spmd.dialects.rewriting import constant_index, hint, named
from spmd.passes.widening.division import widen_division
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lanes import (
    Active,
    Lanes,
    Prefix,
    Row,
    Rows,
    Strided,
    Uniform,
    Varying,
)
from spmd.passes.widening.narrow import compute_narrow
from spmd.passes.widening.state import Widening

SIGNED_LESS = ("slt", "sle")
UNSIGNED_LESS = ("ult", "ule")
GREATER = ("sgt", "sge", "ugt", "uge")
UNSIGNED = (*UNSIGNED_LESS, "ugt", "uge")


def widen_lanewise(widening: Widening, op: Operation, active: Active) -> None:
    """Compute once for all lanes, or in a vector, whichever the operands allow."""
    if isinstance(op, arith.ConstantOp):
        constant = widening.constants.get(
            op.value,  # pyright: ignore[reportArgumentType]
            op.result.name_hint,
        )
        widening.lanes[op.result] = Uniform(constant)
        return
    operands = [widening.of(operand) for operand in op.operands]
    if (number := widening.known_number(op)) is not None:
        widening.lanes[op.results[0]] = Uniform(number)
    elif isinstance(op, arith.SelectOp) and operands[1] == operands[2]:
        widening.lanes[op.result] = operands[1]
    elif any(isinstance(each, Rows) for each in operands):
        if _fits_rows(widening, op, operands, active):
            widening.by_rows(op, active, widen_lanewise)
        elif (rows := _prefix_rows(widening, op, operands, active)) is not None:
            widening.lanes[op.results[0]] = widening.of_rows(rows)
        else:
            _compute_vector(widening, op, operands, active)
    elif all(isinstance(each, Uniform) for each in operands):
        _compute_once(widening, op, operands, active)
    elif (mask := _as_prefix(widening, op, operands, active)) is not None:
        widening.lanes[op.results[0]] = mask
    elif _can_count(widening, op, operands, active):
        _compute_first(widening, op, operands, active)
    elif (compared := _compare_steps(widening, op, operands)) is not None:
        widening.hold(op, [Varying(compared)])
    else:
        _compute_vector(widening, op, operands, active)


def _fits_rows(
    widening: Widening, op: Operation, operands: list[Lanes], active: Active
) -> bool:
    """Whether rows take less than all lanes: as scalars or masks, or if all have the same."""
    if any(isinstance(each, Varying) for each in operands):
        return False
    if all(operand.type == i1 for operand in op.operands):
        return True
    if active.all and all(
        isinstance(each, Uniform)
        or (isinstance(each, Rows) and len(set(each.rows)) == 1)
        for each in operands
    ):
        return True
    first: list[Lanes] = [widening.row_of(each, 0) for each in operands]
    if all(isinstance(each, Uniform) for each in first):
        return True
    with widening.in_row(0):
        return _can_count(widening, op, first, widening.active_in(active, 0))


def _prefix_rows(
    widening: Widening, op: Operation, operands: list[Lanes], active: Active
) -> list[Row] | None:
    """How many of its first lanes fulfil a condition in each row, if that can be said."""
    done: dict[tuple[Row, ...], Prefix] = {}
    rows: list[Row] = []
    for row in range(widening.rows):
        has = tuple(widening.row_of(each, row) for each in operands)
        if has not in done:
            with widening.in_row(row):
                here = widening.active_in(active, row)
                prefix = _as_prefix(widening, op, list(has), here)
            if prefix is None:
                return None
            done[has] = prefix
        rows.append(done[has])
    return rows


def _compute_once(
    widening: Widening, op: Operation, operands: list[Lanes], active: Active
) -> None:
    scalars = [each.scalar for each in operands if isinstance(each, Uniform)]
    if may_trap(op) and not active.some:
        # No lane may be active, and the divisor 0 or, for the least number, -1.
        assert active.mask is not None
        some = widening.vote(active.mask)
        one = widening.constants.number(1, op.operands[1].type)
        scalars[1] = widening.add(arith.SelectOp(some, scalars[1], one))
    new = clone_with(op, scalars, op.result_types)
    widening.append(new)
    widening.hold(op, [Uniform(result) for result in new.results])


def _can_count(
    widening: Widening, op: Operation, operands: list[Lanes], active: Active
) -> bool:
    """Whether the result is known from the result in lane 0."""
    if len(op.results) != 1:
        return False
    shape = widening.shape(op.results[0])
    if not shape.is_strided or any(
        isinstance(each, Varying | Prefix) for each in operands
    ):
        return False
    if not shape.is_uniform and not _is_countable(op.results[0]):
        return False
    if may_trap(op):
        return False
    if active.first:
        return True
    if isinstance(op, arith.IndexCastOp):
        return _bits(op.result) <= _bits(op.input)
    if isinstance(op, arith.SelectOp):
        return isinstance(operands[0], Uniform)
    # Lane 0 may then be made up by counting back from other lanes.
    return is_modular(op)


def _compute_first(
    widening: Widening, op: Operation, operands: list[Lanes], active: Active
) -> None:
    scalars = [
        each.first if isinstance(each, Strided) else each.scalar
        for each in operands
        if isinstance(each, Strided | Uniform)
    ]
    shape = widening.shape(op.results[0])
    if (known := widening.known_sum(op, scalars)) is not None:
        widening.hold(op, [from_first(known, shape)])
        return
    # Lane 0 may be inactive, or not ask for its number: its sum may overflow where others do not.
    alone = not active.first or any(isinstance(each, Strided) for each in operands)
    new = clone_with(op, scalars, op.result_types, drop_overflow=alone)
    first = widening.constant_result(new)
    if first is None:
        widening.append(new)
        first = new.results[0]
    widening.hold(op, [from_first(first, shape)])


def from_first(first: SSAValue, shape: Shape) -> Row:
    """The lanes of a value of which lane 0 is known."""
    stride = shape.stride
    assert stride is not None, f"a value of shape {shape} is not known from lane 0"
    return Strided(first, stride) if stride and not shape.is_undef else Uniform(first)


def _compute_vector(
    widening: Widening, op: Operation, operands: list[Lanes], active: Active
) -> None:
    if op in widening.narrow_ops:
        widening.hold(op, [Varying(compute_narrow(widening, op, operands))])
        return
    vectors: list[SSAValue] = []
    for position, each in enumerate(operands):
        choice = isinstance(op, arith.SelectOp) and position == 0
        if choice and isinstance(each, Uniform):
            vectors.append(each.scalar)
        else:
            vectors.append(widening.vector(each))
    masked = (1,) if may_trap(op) else _floats(op) if is_library_function(op) else ()
    for position in masked:
        harmless = widening.in_active(active, vectors[position], 1)
        vectors[position] = hint(harmless, vectors[position])
    if is_integer_division(op):
        n, d = vectors
        quotient = widen_division(widening, op, operands[1], n, d, active)
        if quotient is not None:
            widening.hold(op, [Varying(quotient)])
            return
    types = [widening.vector_type(type_) for type_ in op.result_types]
    elementwise = Elementwise.of(op)
    assert elementwise is not None, "asked before the loop was vectorized"
    new = (elementwise.on_vectors or clone_with)(op, vectors, types)
    widening.append(new)
    widening.hold(op, [Varying(result) for result in new.results])


def _as_prefix(
    widening: Widening, op: Operation, operands: list[Lanes], active: Active
) -> Prefix | None:
    match op:
        case arith.CmpiOp():
            return _compare_as_prefix(widening, op, operands, active)
        case arith.SelectOp() if op.result.type == i1:
            *both, _ = operands
            if widening.ranges.of(op.rhs).value != 0:
                return None
            counts = _as_counts(widening, both)
            return counts and _narrowed(widening, *counts, op)
        case arith.AndIOp() if op.result.type == i1:
            counts = _as_counts(widening, operands)
            return counts and _smaller(widening, counts[0], counts[1], op)
        case _:
            pass
    return None


def _as_counts(
    widening: Widening, conditions: Sequence[Lanes]
) -> tuple[SSAValue, SSAValue] | None:
    """In how many first lanes two conditions hold, if one is more than a scalar."""
    counts: list[SSAValue] = []
    if all(isinstance(each, Uniform) for each in conditions):
        return None
    for each in conditions:
        match each:
            case Prefix(count=count):
                counts.append(count)
            case Uniform(scalar=scalar):
                index = IndexType()
                every = widening.constants.number(widening.width, index)
                op = arith.SelectOp(scalar, every, widening.zero)
                counts.append(widening.add(op, "count"))
            case _:
                return None
    first, second = counts
    return first, second


def _smaller(widening: Widening, a: SSAValue, b: SSAValue, op: Operation) -> Prefix:
    count = widening.add(arith.MinSIOp(a, b), named(op.results[0], "count"))
    return Prefix(count, op.results[0].name_hint)


def _narrowed(
    widening: Widening, outer: SSAValue, count: SSAValue, op: arith.SelectOp
) -> Prefix:
    """
    The first `count` lanes, of the first `outer`.

    If there are none of the former, the latter was computed from garbage, and must not
    count: a mask of garbage is worse than an empty one.
    """
    if op.cond not in widening.some:
        zero = widening.zero
        some = widening.add(arith.CmpiOp(outer, zero, "sgt"), "some")
        safe = arith.SelectOp(some, count, zero)
        count = widening.add(safe, named(op.results[0], "count"))
    return _smaller(widening, outer, count, op)


def _compare_as_prefix(
    widening: Widening, op: arith.CmpiOp, operands: list[Lanes], active: Active
) -> Prefix | None:
    """
    `first + i < end` as `i < end - first`.

    No lane may be negative, which one that wraps would be, the first one must be on, and
    the difference must not overflow.
    """
    number = op.predicate.value.data
    left, right = operands
    counted, bound = op.lhs, op.rhs
    if PREDICATES[number] in GREATER:
        number, left, right = SWAPPED[number], right, left
        counted, bound = bound, counted
    predicate = PREDICATES[number]
    if predicate not in (*SIGNED_LESS, *UNSIGNED_LESS):
        return None
    if not isinstance(left, Strided) or left.stride != 1 or not active.first:
        return None
    if not isinstance(right, Uniform):
        return None
    lowest = widening.ranges.of(counted).low
    limit = widening.ranges.of(bound)
    bits = _bits(bound)
    if lowest < 0:
        return None
    end = right.scalar
    if predicate in ("sle", "ule"):
        if limit.low < 0 or limit.high + 1 >= 1 << (bits - 1):
            return None
        one = widening.constants.number(1, bound.type)
        end = widening.add(arith.AddiOp(end, one))
    elif predicate == "slt" and constant_index(left.first) == 0:
        pass  # There is nothing to subtract, and no lane is below a negative end.
    elif limit.low < 0 and predicate == "slt":
        zero = widening.constants.number(0, bound.type)
        end = widening.add(arith.MaxSIOp(end, zero), bound)
    elif limit.low < 0:
        largest = widening.constants.number((1 << (bits - 1)) - 1, bound.type)
        end = widening.add(arith.MinUIOp(end, largest), bound)
    name = named(op.results[0], "count")
    count = end
    if constant_index(left.first) != 0:
        count = widening.add(arith.SubiOp(end, left.first), name)
    if not isinstance(count.type, IndexType):
        count = widening.add(arith.IndexCastOp(count, IndexType()), name)
    return Prefix(count, op.result.name_hint)


def _compare_steps(
    widening: Widening, op: Operation, operands: list[Lanes]
) -> SSAValue | None:
    """
    `first + i * step < bound` as `i * step < bound - first`, in the bits that steps take.

    A bound beyond all lanes is moved next to them. No side may wrap from lane to lane,
    also not on the way to inactive ones.
    """
    if not isinstance(op, arith.CmpiOp):
        return None
    known = [widening.ranges.of(each) for each in op.operands]
    number = op.predicate.value.data
    if PREDICATES[number] in UNSIGNED:
        if min(each.low for each in known) < 0:
            return None
        number = PREDICATES.index(PREDICATES[number].replace("u", "s"))
    lines = [line for each in operands if (line := _line(each)) is not None]
    if len(lines) < len(operands):
        return None
    reach = 2 * widening.width * (1 + sum(abs(step) for _, step in lines))
    sides: list[tuple[bool, SSAValue, int]] = []
    for value, (first, step), around in zip(op.operands, lines, known, strict=True):
        farthest = IntegerRange(around.low - reach, around.high + reach)
        fits = farthest.fits(_bits(value))
        if step and (not fits or widening.shape(value).wraps):
            return None
        sides.append((fits, first, step))
    if not sides[0][0]:
        sides.reverse()
        number = SWAPPED[number]
    (fits, first, step), (_, bound, other) = sides
    step -= other
    last = (widening.width - 1) * step
    least, most = min(last, 0) - 1, max(last, 0) + 1
    narrow = IntegerRange(least, most)
    type_ = next(
        (each for each in (i8, i16, i32) if narrow.fits(each.width.data)), None
    )
    if not fits or not step or type_ is None or type_.width.data >= _bits(bound):
        return None
    wide = first.type
    for distance, nearest in ((most, arith.MinSIOp), (least, arith.MaxSIOp)):
        beyond = arith.AddiOp(first, widening.constants.number(distance, wide))
        bound = widening.add(nearest(bound, widening.add(beyond, first)), bound)
    distance = widening.add(arith.SubiOp(bound, first), bound)
    cast = arith.IndexCastOp if isinstance(wide, IndexType) else arith.TruncIOp
    end = widening.vector(Uniform(widening.add(cast(distance, type_), bound)))
    return widening.add(arith.CmpiOp(widening.steps(type_, step), end, number))


def _line(lanes: Lanes) -> tuple[SSAValue, int] | None:
    """The value of lane 0 and the distance of lanes, if they have one."""
    match lanes:
        case Uniform(scalar=first):
            return first, 0
        case Strided(first=first, stride=step):
            return first, step
        case _:
            return None


def _is_countable(value: SSAValue) -> bool:
    return bit_width(value.type) is not None and value.type != i1


def _bits(value: SSAValue) -> int:
    bits = bit_width(value.type)
    assert bits is not None, f"{value.type} is no integer"
    return bits


def _floats(op: Operation) -> list[int]:
    """Which operands of `op` are floats."""
    return [i for i, each in enumerate(op.operands) if isinstance(each.type, AnyFloat)]
