"""Where the lanes of a memory access go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    IndexType,
    NoneAttr,
    StringAttr,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import Pattern, element_strides
from spmd.analysis.ranges.accessed import LARGEST_STEP, narrow_index
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.element_types import is_vector, memref_layout, memref_type
from spmd.dialects.enclosing import is_small
from spmd.dialects.limits import MAX_LANES, SMALL_ARRAY
from spmd.dialects.rewriting import NO_SIGNED_WRAP
from spmd.dialects.work_groups import NEAR_EDGE
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS, WHY
from spmd.passes.memory.accesses.flattening import flattened
from spmd.passes.widening.lanes import Lanes, Row, Rows, Strided, Uniform, Varying
from spmd.passes.widening.state import Widening

AnyVector: TypeAlias = VectorType[Attribute]

MAY_WRAP = arith.IntegerOverflowAttr("none")


def scalars_of(indices: Sequence[Lanes]) -> list[SSAValue]:
    """Those of `indices` that all lanes share."""
    return [index.scalar for index in indices if isinstance(index, Uniform)]


@dataclass(frozen=True)
class LaneAddresses:
    """Where the lanes of an access go."""

    array: SSAValue
    pattern: Pattern

    first: Sequence[SSAValue]
    """The index of the lane with the lowest address, or where offsets start."""

    offsets_or_none: SSAValue | None = None

    @property
    def offsets(self) -> SSAValue:
        """What each lane adds to the last index of `first`."""
        assert self.offsets_or_none is not None, (
            f"a {self.pattern} access has no offsets"
        )
        return self.offsets_or_none

    @staticmethod
    def of(
        widening: Widening,
        array: SSAValue,
        indices: Sequence[Lanes],
    ) -> LaneAddresses:
        """The access to `array[indices]`."""
        index = IndexType()
        if all(isinstance(each, Uniform) for each in indices):
            zeros = widening.dense(0, index)
            return LaneAddresses(array, Pattern.UNIFORM, scalars_of(indices), zeros)
        *outer, last = indices
        if has_unit_stride(array) and all(isinstance(each, Uniform) for each in outer):
            rows = scalars_of(outer)
            match last:
                case Strided(first=first, stride=1):
                    return LaneAddresses(array, Pattern.CONTIGUOUS, [*rows, first])
                case Strided(first=first, stride=-1):
                    back = widening.constants.number(widening.width - 1, index)
                    lowest = widening.add(arith.SubiOp(first, back), first)
                    return LaneAddresses(array, Pattern.REVERSED, [*rows, lowest])
                case _:
                    pass
        if (first := _first_of_side_by_side(array, indices)) is not None:
            return LaneAddresses.through_rows(widening, array, first)
        array, first, offsets = _linear(widening, array, indices)
        return LaneAddresses(array, Pattern.GATHER, first, offsets)

    @staticmethod
    def through_rows(
        widening: Widening, array: SSAValue, first: Sequence[SSAValue]
    ) -> LaneAddresses:
        """A contiguous access that begins at `array[first]` and goes on in its next rows."""
        if len(first) > 1:
            strides = _Strides(widening, array)
            array, first = strides.flattened(), [strides.position(first)]
        return LaneAddresses(array, Pattern.CONTIGUOUS, first)


def index_lanes(widening: Widening, index: SSAValue) -> Lanes:
    """How lanes that access memory at `index` hold it."""
    held, number = widening.of(index), narrow_index(index)
    if number is None or not isinstance(held, Varying):
        return held
    narrow = widening.of(number)
    rows = narrow.rows if isinstance(narrow, Rows) else (narrow,)
    made: list[Row] = []
    for row in rows:
        match row:
            case Strided(stride=step) if 0 < step <= LARGEST_STEP:
                first = widening.add(arith.IndexCastOp(row.first, IndexType()), index)
                made.append(Strided(first, step))
            case _:
                return held
    return made[0] if len(made) == 1 else Rows(tuple(made))


def _first_of_side_by_side(
    array: SSAValue, indices: Sequence[Lanes]
) -> Sequence[SSAValue] | None:
    """The indices of lane 0, if lanes follow each other along any one dimension."""
    first: list[SSAValue] = []
    moving = 0
    for each, distance in zip(indices, element_strides(array), strict=True):
        match each:
            case Uniform(scalar=scalar):
                first.append(scalar)
            case Strided(first=scalar, stride=1) if distance == 1:
                first.append(scalar)
                moving += 1
            case _:
                return None
    return first if moving == 1 else None


def why_not_contiguous(
    op: memref.LoadOp | memref.StoreOp, indices: Sequence[Lanes]
) -> str:
    """
    Why the lanes of `op` do not access neighbouring elements, in words.

    `indices` says how the lanes hold those of `op`.
    """
    array = op.memref.name_hint
    array = "the array" if array is None else f"%{array}"
    rows = (each.rows[0] if isinstance(each, Rows) else each for each in indices)
    held = tuple(zip(op.indices, rows, strict=False))
    for index, lanes in held:
        if isinstance(lanes, Varying):
            name = "an index" if index.name_hint is None else f"%{index.name_hint}"
            place = op.attributes.get(NEAR_EDGE)
            where = place.data if isinstance(place, StringAttr) else "near an edge"
            near = "" if place is None else f", {where}"
            return f"{name} has no fixed step from lane to lane{near}"
    for axis, (_, lanes) in enumerate(held[:-1]):
        if isinstance(lanes, Strided):
            return f"lanes go along dimension {axis} of {array}, not along the last one"
    if not has_unit_stride(op.memref):
        return f"neighbours in {array} need not lie side by side in memory"
    match held[-1][1] if held else None:
        case Strided(stride=-1):
            return f"lanes access {array} backwards"
        case Strided(stride=stride):
            back = ", backwards" if stride < 0 else ""
            return (
                f"lanes access elements of {array} that are {abs(stride)} apart{back}"
            )
        case _:
            return f"several lanes may store to one element of {array}"


def remark(op: Operation | Block, kind: str, why: str) -> None:
    """Say on `op` what costs more than a plain access of vectors, and why."""
    assert isinstance(op, Operation)
    op.attributes[ACCESS] = StringAttr(kind)
    op.attributes[WHY] = StringAttr(why)


def has_unit_stride(array: SSAValue) -> bool:
    """Whether neighbours in the last dimension of `array` lie side by side."""
    layout = memref_layout(memref_type(array))
    return layout is not None and layout.strides[-1:] == (1,)


def _linear(
    widening: Widening, array: SSAValue, indices: Sequence[Lanes]
) -> tuple[SSAValue, Sequence[SSAValue], SSAValue]:
    """
    An address as an array, indices that all lanes share, and an offset per lane.

    Offsets count elements, so the last dimension of the array must have stride 1; an
    array of which this is not known is seen as one with a single dimension.
    """
    if (whole := _cast_from_i32(array, indices)) is not None:
        return array, [*scalars_of(indices), widening.zero], whole
    strides = _Strides(widening, array)
    element: Attribute = i32 if _offsets_fit_i32(array, indices) else IndexType()
    shared: list[SSAValue] = []
    offsets: SSAValue | None = None
    for axis, each in enumerate(indices):
        match each:
            case Uniform(scalar=scalar):
                shared.append(scalar)
                continue
            case Strided(first=scalar, stride=stride):
                shared.append(scalar)
                part = widening.steps(element, stride)
            case _:
                shared.append(widening.zero)
                part = low_bits(widening, widening.vector(each), element)
        part = strides.scaled(part, axis)
        if offsets is None:
            offsets = part
        else:
            flags = _no_wrap(part)
            offsets = widening.add(arith.AddiOp(offsets, part, overflow=flags))
    assert offsets is not None, "a uniform address needs no offsets"
    if has_unit_stride(array):
        return array, shared, offsets
    return strides.flattened(), [strides.position(shared)], offsets


def _cast_from_i32(array: SSAValue, indices: Sequence[Lanes]) -> SSAValue | None:
    """The offsets, if they are a cast of integers of 32 bits, which an access extends."""
    *outer, last = indices
    if not isinstance(last, Varying) or not has_unit_stride(array):
        return None
    if not all(isinstance(each, Uniform) for each in outer):
        return None
    owner = last.vector.owner
    if isinstance(owner, arith.IndexCastOp) and _element(owner.input) == i32:
        return owner.input
    return None


def low_bits(widening: Widening, lanes: SSAValue, element: Attribute) -> SSAValue:
    """A vector of `index` as one of `element`, of which more may not be asked for."""
    if element == IndexType():
        return lanes
    owner = lanes.owner
    casts = isinstance(owner, arith.IndexCastOp | IndexCastUIOp)
    if casts and _element(owner.input) == element:
        return owner.input
    return widening.add(arith.IndexCastOp(lanes, widening.vector_type(element)), lanes)


class _Strides:
    """The distances in elements between neighbours along each axis of an array."""

    def __init__(self, widening: Widening, array: SSAValue):
        self._widening = widening
        self._array = array
        self._type = memref_type(array)
        self._static = element_strides(array)
        self._data: memref.ExtractStridedMetaDataOp | None = None
        self._dynamic: dict[int, SSAValue] = {}

    def scaled(self, lanes: SSAValue, axis: int) -> SSAValue:
        """Steps along an axis as elements."""
        stride = self._static[axis]
        if stride == 1:
            return lanes
        if stride is not None:
            element = cast(AnyVector, lanes.type).element_type
            factor = self._widening.dense(stride, element)
        else:
            scalar = self._scalar(axis)
            if _element(lanes) == i32:
                scalar = self._widening.low_bits(scalar)
            factor = self._widening.vector(Uniform(scalar))
        flags = _no_wrap(lanes)
        return self._widening.add(arith.MuliOp(lanes, factor, overflow=flags), lanes)

    def position(self, indices: Sequence[SSAValue]) -> SSAValue:
        """The linear position of a scalar index."""
        total: SSAValue | None = None
        for axis, each in enumerate(indices):
            part = each
            if self._static[axis] != 1:
                part = self._widening.add(arith.MuliOp(each, self._scalar(axis)))
            if total is None:
                total = part
            else:
                total = self._widening.add(arith.AddiOp(total, part))
        return self._widening.zero if total is None else total

    def flattened(self) -> SSAValue:
        """The memory of the array, seen as one dimension of stride 1 without an end."""
        widening = self._widening
        return flattened(widening, widening.constants, self._array, self._metadata())

    def _scalar(self, axis: int) -> SSAValue:
        static = self._static[axis]
        if static is not None:
            return self._widening.constants.number(static, IndexType())
        known = self._dynamic.get(axis)
        if known is None:
            known = self._dynamic[axis] = self._compute(axis)
        return known

    def _compute(self, axis: int) -> SSAValue:
        if not isinstance(self._type.layout, NoneAttr):
            return self._metadata().strides[axis]
        number = self._widening.constants.number(axis + 1, IndexType())
        extent = self._widening.add(memref.DimOp(self._array, number))
        if axis + 2 == self._type.get_num_dims():
            return extent
        return self._widening.add(arith.MuliOp(extent, self._scalar(axis + 1)))

    def _metadata(self) -> memref.ExtractStridedMetaDataOp:
        if self._data is None:
            self._data = memref.ExtractStridedMetaDataOp(self._array)
            self._widening.append(self._data)
        return self._data


def _offsets_fit_i32(array: SSAValue, indices: Sequence[Lanes]) -> bool:
    """
    Whether the offsets of active lanes lie within 32 bits, whatever they are.

    True of arrays whose size is known to be small. A lane's offset counts from indices
    that lanes share, which for a strided index is that of lane 0.
    """
    layout = memref_layout(memref_type(array))
    if layout is None:
        return False
    small = is_small(array)
    farthest = SMALL_ARRAY if small else 0
    for index, size, stride in zip(indices, layout.sizes, layout.strides, strict=True):
        if not small:
            if size is None or stride is None:
                return False
            farthest += (size - 1) * abs(stride)
        if isinstance(index, Strided):
            if stride is None:
                return False
            farthest += MAX_LANES * abs(index.stride * stride)
    return farthest < 1 << 31


def _no_wrap(offsets: SSAValue) -> arith.IntegerOverflowAttr:
    """Of sums and products of offsets; those of 32 bits fit where lanes are active."""
    return NO_SIGNED_WRAP if _element(offsets) == i32 else MAY_WRAP


def _element(value: SSAValue) -> Attribute | None:
    type_ = value.type
    return type_.element_type if is_vector(type_) else None
