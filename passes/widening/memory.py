"""Memory accesses, chosen by the shape of their address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.accesses import base_of
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.rewriting import hint
from spmd.dialects.work_groups import CACHE_LINE, is_group_memory
from spmd.passes.lower_memory_types import LOCAL_SPACE
from spmd.passes.widening.lanes import (
    Active,
    Lanes,
    Strided,
    Uniform,
    Varying,
)
from spmd.passes.widening.state import PrivateArray, Widening

AnyVector: TypeAlias = VectorType[Attribute]


def widen_load(widening: Widening, op: memref.LoadOp, active: Active) -> None:
    """
    | address                   | becomes                                    |
    | ------------------------- | ------------------------------------------ |
    | uniform                   | `memref.load`, where some lane is on       |
    | contiguous                | `vector.load` or `vector.maskedload`       |
    | contiguous, never outside | `vector.load`: garbage may be loaded       |
    | reversed                  | the same and `vector.shuffle`              |
    | anything else             | `vector.gather`                            |
    | private, uniform element  | `vector.load`: garbage may be loaded       |
    """
    emitter = widening.emitter
    indices = [widening.of(index) for index in op.indices]
    private = widening.private.get(op.memref)
    type_ = emitter.vector_type(op.res.type)
    if private is not None and not private.shared:
        if all(isinstance(index, Uniform) for index in indices):
            address = [*_scalars(indices), widening.zero]
            new = vector.LoadOp(private.array, address, type_)
            widening.hold(op, [Varying(emitter.insert(new))])
            return
        array, indices = private.array, [*indices, widening.lane_index]
    else:
        array = widening.array(op.memref)
    access = _Access.of(widening, array, indices)
    if access.kind == "uniform":
        widening.hold(op, [_load_once(widening, op, array, _scalars(indices), active)])
    elif access.kind == "contiguous":
        harmless = _stays_inside(widening, op.memref, op.indices)
        mask = None if harmless else active.mask
        widening.hold(op, [Varying(_load(widening, access, type_, mask))])
    elif access.kind == "reversed":
        mask = None if active.mask is None else _reversed_mask(widening, active.mask)
        loaded = _load(widening, access, type_, mask)
        widening.hold(op, [Varying(_reverse(widening, loaded))])
    else:
        mask = emitter.all_on() if active.mask is None else emitter.vector(active.mask)
        off = emitter.dense(0, op.res.type)
        gather = GatherOp(access.array, access.first, access.offsets, mask, off)
        widening.hold(op, [Varying(emitter.insert(gather))])


def widen_store(widening: Widening, op: memref.StoreOp, active: Active) -> None:
    """
    | address                   | becomes                                    |
    | ------------------------- | ------------------------------------------ |
    | uniform, one value        | `memref.store`, where some lane is on      |
    | uniform, several values   | the same of the last lane, or a scatter    |
    | contiguous                | `vector.store` or `vector.maskedstore`     |
    | contiguous, local memory  | load, `arith.select` and store if possible |
    | reversed                  | `vector.shuffle` and the same              |
    | anything else             | `vector.scatter`                           |

    Memory that other threads see is never read for a store. Private and local memory is
    not seen: what lanes that are off have there may be stored back as it was.
    """
    emitter = widening.emitter
    value = widening.of(op.value)
    indices = [widening.of(index) for index in op.indices]
    private = widening.private.get(op.memref)
    if private is not None and not private.shared:
        if all(isinstance(index, Uniform) for index in indices):
            _store_private(widening, private.array, _scalars(indices), value, active)
            return
        array, indices = private.array, [*indices, widening.lane_index]
    else:
        array = widening.array(op.memref)
    access = _Access.of(widening, array, indices)
    if access.kind == "uniform" and isinstance(value, Uniform):
        _store_once(widening, array, _scalars(indices), value.scalar, active)
        return
    stored = emitter.vector(value)
    mask = None if active.mask is None else emitter.vector(active.mask)
    if access.kind == "uniform" and mask is None:
        last = vector.ExtractOp(stored, [emitter.width - 1], op.value.type)
        scalar = emitter.insert(last, op.value)
        emitter.append(memref.StoreOp.get(scalar, array, _scalars(indices)))
    elif access.kind in ("contiguous", "reversed"):
        if access.kind == "reversed":
            stored = _reverse(widening, stored)
            if active.mask is not None:
                mask = emitter.vector(_reversed_mask(widening, active.mask))
        if (
            mask is not None
            and access.kind == "contiguous"
            and _is_of_group(op.memref)
            and _stays_inside(widening, op.memref, op.indices)
        ):
            stored = _blended(widening, access, stored, mask)
            mask = None
        if mask is None:
            emitter.append(vector.StoreOp(stored, array, access.first))
        else:
            emitter.append(vector.MaskedStoreOp(array, access.first, mask, stored))
    else:
        on = emitter.all_on() if mask is None else mask
        emitter.append(
            ScatterOp(access.array, access.first, access.offsets, on, stored)
        )


def widen_alloca(widening: Widening, op: memref.AllocaOp) -> None:
    """A private array becomes one array for all lanes, at the head of the function."""
    type_ = op.memref.type
    assert isa(type_, MemRefType)
    shared = widening.is_shared(op)
    shape = list(type_.get_shape())
    if not shared:
        shape.append(widening.emitter.width)
    new = memref.AllocaOp.create(
        result_types=[
            MemRefType(type_.element_type, shape, NoneAttr(), type_.memory_space)
        ],
        properties=op.properties | {"alignment": IntegerAttr(CACHE_LINE, i64)},
        location=op.location,
    )
    hint(new.memref, op.memref)
    widening.at_function_head(new)
    widening.private[op.memref] = PrivateArray(new.memref, shared)


# Uniform addresses


def _scalars(indices: Sequence[Lanes]) -> list[SSAValue]:
    return [index.scalar for index in indices if isinstance(index, Uniform)]


def _load_once(
    widening: Widening,
    op: memref.LoadOp,
    array: SSAValue,
    indices: Sequence[SSAValue],
    active: Active,
) -> Lanes:
    emitter = widening.emitter
    load = memref.LoadOp.get(array, indices)
    load.properties.update(
        {k: v for k, v in op.properties.items() if k not in load.properties}
    )
    if active.some:
        return Uniform(emitter.insert(load))
    assert active.mask is not None
    some = emitter.any_lane(active.mask)
    inside = Block([load])
    inside.add_op(scf.YieldOp(hint(load.res, op.res)))
    nothing = Block([scf.YieldOp(emitter.constants.zero(op.res.type))])
    guard = scf.IfOp(some, [op.res.type], Region(inside), Region(nothing))
    return Uniform(emitter.insert(guard, op.res))


def _store_once(
    widening: Widening,
    array: SSAValue,
    indices: Sequence[SSAValue],
    value: SSAValue,
    active: Active,
) -> None:
    emitter = widening.emitter
    store = memref.StoreOp.get(value, array, indices)
    if active.some:
        emitter.append(store)
        return
    assert active.mask is not None
    some = emitter.any_lane(active.mask)
    emitter.append(scf.IfOp(some, [], Region(Block([store, scf.YieldOp()]))))


def _store_private(
    widening: Widening,
    array: SSAValue,
    indices: Sequence[SSAValue],
    value: Lanes,
    active: Active,
) -> None:
    emitter = widening.emitter
    address = [*indices, widening.zero]
    stored = emitter.vector(value)
    if active.mask is not None:
        access = _Access(array, "contiguous", address)
        mask = emitter.vector(active.mask)
        stored = _blended(widening, access, stored, mask)
    emitter.append(vector.StoreOp(stored, array, address))


def _blended(
    widening: Widening, access: _Access, stored: SSAValue, mask: SSAValue
) -> SSAValue:
    """
    What is in memory where lanes are off.

    A masked store would make the next load wait until it has left the core.
    """
    emitter = widening.emitter
    type_ = cast(AnyVector, stored.type)
    old = emitter.insert(vector.LoadOp(access.array, access.first, type_))
    return emitter.insert(arith.SelectOp(mask, stored, old))


def _is_of_group(array: SSAValue) -> bool:
    """Whether no other thread sees the memory of `array`."""
    type_ = cast(MemRefType[Attribute], array.type)
    if type_.memory_space == LOCAL_SPACE:
        return True
    base = base_of(array)
    return isinstance(base.owner, Operation) and is_group_memory(base.owner)


def _stays_inside(
    widening: Widening, array: SSAValue, indices: Sequence[SSAValue]
) -> bool:
    """Whether all lanes access elements that exist, also those that are off."""
    type_ = cast(MemRefType[Attribute], array.type)
    if DYNAMIC_INDEX in type_.get_shape():
        return False
    for index, size in zip(indices, type_.get_shape(), strict=True):
        range_ = widening.ranges.of(index)
        if range_.low < 0 or range_.high >= size:
            return False
    return True


# Contiguous addresses


def _load(
    widening: Widening,
    access: _Access,
    type_: AnyVector,
    mask: Lanes | None,
) -> SSAValue:
    emitter = widening.emitter
    if mask is None:
        return emitter.insert(vector.LoadOp(access.array, access.first, type_))
    off = emitter.dense(0, type_.element_type)
    on = emitter.vector(mask)
    return emitter.insert(vector.MaskedLoadOp(access.array, access.first, on, off))


def _reverse(widening: Widening, value: SSAValue) -> SSAValue:
    width = widening.emitter.width
    order = DenseArrayBase.from_list(i64, list(range(width - 1, -1, -1)))
    type_ = cast(AnyVector, value.type)
    return widening.emitter.insert(
        vector.ShuffleOp(value, value, order, result_type=type_), value
    )


def _reversed_mask(widening: Widening, mask: Lanes) -> Lanes:
    return Varying(_reverse(widening, widening.emitter.vector(mask)))


# Addresses


@dataclass(frozen=True)
class _Access:
    """Where the lanes of an access go."""

    array: SSAValue
    kind: str
    """`uniform`, `contiguous`, `reversed` or `scattered`."""

    first: Sequence[SSAValue]
    """The index of the lane with the lowest address, or where offsets start."""

    offsets_or_none: SSAValue | None = None

    @property
    def offsets(self) -> SSAValue:
        assert self.offsets_or_none is not None, f"a {self.kind} access has no offsets"
        return self.offsets_or_none

    @staticmethod
    def of(widening: Widening, array: SSAValue, indices: Sequence[Lanes]) -> _Access:
        emitter = widening.emitter
        index = IndexType()
        if all(isinstance(each, Uniform) for each in indices):
            first = _scalars(indices)
            zeros = emitter.dense(0, index)
            return _Access(array, "uniform", first, zeros)
        *outer, last = indices
        if _has_unit_stride(array) and all(isinstance(each, Uniform) for each in outer):
            assert not isinstance(last, Uniform)
            if isinstance(last, Strided) and last.stride == 1:
                return _Access(array, "contiguous", [*_scalars(outer), last.first])
            if isinstance(last, Strided) and last.stride == -1:
                back = emitter.constants.number(emitter.width - 1, index)
                lowest = emitter.insert(arith.SubiOp(last.first, back), last.first)
                return _Access(array, "reversed", [*_scalars(outer), lowest])
        array, first, offsets = _linear(widening, array, indices)
        return _Access(array, "scattered", first, offsets)


def _has_unit_stride(array: SSAValue) -> bool:
    type_ = cast(MemRefType[Attribute], array.type)
    strides = type_.get_strides()
    return strides is not None and len(strides) > 0 and strides[-1] == 1


def _linear(
    widening: Widening, array: SSAValue, indices: Sequence[Lanes]
) -> tuple[SSAValue, Sequence[SSAValue], SSAValue]:
    """
    An address as an array, indices that all lanes share, and an offset per lane.

    Offsets count elements, so the last dimension of the array must have stride 1; an
    array of which this is not known is seen as one with a single dimension.
    """
    emitter = widening.emitter
    if (whole := _cast_from_i32(array, indices)) is not None:
        return array, [*_scalars(indices), widening.zero], whole
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
                part = emitter.steps(element, stride)
            case _:
                shared.append(widening.zero)
                part = _as_offsets(widening, emitter.vector(each), element)
        part = strides.scaled(part, axis)
        if offsets is None:
            offsets = part
        else:
            offsets = emitter.insert(arith.AddiOp(offsets, part))
    assert offsets is not None, "an address that all lanes share needs no offsets"
    if _has_unit_stride(array):
        return array, shared, offsets
    return strides.flattened(), [strides.position(shared)], offsets


def _cast_from_i32(array: SSAValue, indices: Sequence[Lanes]) -> SSAValue | None:
    """The offsets, if they are a cast of integers of 32 bits, which an access extends."""
    *outer, last = indices
    if not isinstance(last, Varying) or not _has_unit_stride(array):
        return None
    if not all(isinstance(each, Uniform) for each in outer):
        return None
    owner = last.vector.owner
    if isinstance(owner, arith.IndexCastOp) and _element(owner.input) == i32:
        return owner.input
    return None


def _as_offsets(widening: Widening, lanes: SSAValue, element: Attribute) -> SSAValue:
    """Varying indices as offsets; where 32 bits are enough they may be cut off."""
    if element == IndexType():
        return lanes
    emitter = widening.emitter
    owner = lanes.owner
    if isinstance(owner, arith.IndexCastOp) and _element(owner.input) == element:
        return owner.input
    return emitter.insert(arith.IndexCastOp(lanes, emitter.vector_type(element)), lanes)


class _Strides:
    """The distances in elements between neighbours along each axis of an array."""

    def __init__(self, widening: Widening, array: SSAValue):
        self._widening = widening
        self._array = array
        self._type = cast(MemRefType[Attribute], array.type)
        strides = self._type.get_strides() or [None] * self._type.get_num_dims()
        self._static = [None if s == DYNAMIC_INDEX else s for s in strides]
        self._data: memref.ExtractStridedMetaDataOp | None = None
        self._dynamic: dict[int, SSAValue] = {}

    def scaled(self, lanes: SSAValue, axis: int) -> SSAValue:
        """Steps along an axis as elements."""
        emitter = self._widening.emitter
        stride = self._static[axis]
        if stride == 1:
            return lanes
        if stride is not None:
            element = cast(AnyVector, lanes.type).element_type
            factor = emitter.dense(stride, element)
        else:
            factor = emitter.vector(Uniform(self._scalar(axis)))
        return emitter.insert(arith.MuliOp(lanes, factor), lanes)

    def position(self, indices: Sequence[SSAValue]) -> SSAValue:
        """The linear position of a scalar index."""
        emitter = self._widening.emitter
        total: SSAValue | None = None
        for axis, each in enumerate(indices):
            part = each
            if self._static[axis] != 1:
                part = emitter.insert(arith.MuliOp(each, self._scalar(axis)))
            if total is None:
                total = part
            else:
                total = emitter.insert(arith.AddiOp(total, part))
        return self._widening.zero if total is None else total

    def flattened(self) -> SSAValue:
        """The memory of the array, seen as one dimension of stride 1 without an end."""
        data = self._metadata()
        layout = StridedLayoutAttr([1], None)
        type_ = MemRefType(
            self._type.element_type, [DYNAMIC_INDEX], layout, self._type.memory_space
        )
        constants = self._widening.emitter.constants
        unbounded = constants.number((1 << 63) - 1, IndexType())
        return self._widening.emitter.insert(
            memref.ReinterpretCastOp.from_dynamic(
                data.base_buffer, [data.offset], [unbounded], [1], type_
            ),
            self._array,
        )

    def _scalar(self, axis: int) -> SSAValue:
        static = self._static[axis]
        if static is not None:
            return self._widening.emitter.constants.number(static, IndexType())
        known = self._dynamic.get(axis)
        if known is None:
            known = self._dynamic[axis] = self._compute(axis)
        return known

    def _compute(self, axis: int) -> SSAValue:
        if not isinstance(self._type.layout, NoneAttr):
            return self._metadata().strides[axis]
        emitter = self._widening.emitter
        number = emitter.constants.number(axis + 1, IndexType())
        extent = emitter.insert(memref.DimOp(self._array, number))
        if axis + 2 == self._type.get_num_dims():
            return extent
        return emitter.insert(arith.MuliOp(extent, self._scalar(axis + 1)))

    def _metadata(self) -> memref.ExtractStridedMetaDataOp:
        if self._data is None:
            self._data = memref.ExtractStridedMetaDataOp(self._array)
            self._widening.emitter.append(self._data)
        return self._data


def _offsets_fit_i32(array: SSAValue, indices: Sequence[Lanes]) -> bool:
    """
    Whether the offsets of lanes that are on lie within 32 bits, whatever they are.

    True of arrays whose size is known to be small. A lane's offset counts from indices
    that lanes share, which for a strided index is that of lane 0.
    """
    type_ = cast(MemRefType[Attribute], array.type)
    strides = type_.get_strides()
    if strides is None or any(
        each is None or each == DYNAMIC_INDEX for each in (*type_.get_shape(), *strides)
    ):
        return False
    extent = sum(
        (size - 1) * abs(stride or 0)
        for size, stride in zip(type_.get_shape(), strides, strict=True)
    )
    slack = sum(
        64 * abs(index.stride * (stride or 0))
        for index, stride in zip(indices, strides, strict=True)
        if isinstance(index, Strided)
    )
    return extent + slack < 1 << 31


def _element(value: SSAValue) -> Attribute | None:
    type_ = value.type
    return type_.element_type if isa(type_, AnyVector) else None
