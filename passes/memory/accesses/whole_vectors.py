"""Loads and stores of all that the lanes of a group access."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from math import prod
from typing import cast

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import element_strides
from spmd.analysis.memory.interleaved import InterleavedGroup
from spmd.analysis.memory.lane_steps import first_offset
from spmd.dialects.building import Builder, ConstantPool, shuffle
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import memref_type, size_in_bytes, vector_type
from spmd.dialects.remarks import CombinedAccesses, remark
from spmd.dialects.rewriting import constant_index, hint, named, splat_number
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS, WHY
from spmd.passes.memory.accesses.flattening import flattened
from spmd.passes.targets import LONGEST_STEP

REGISTER_BYTES = 32
"""Of the vectors that costs are counted in."""


def why_not_whole(group: InterleavedGroup) -> str | None:
    """Why the members of `group` stay as they are; `None` if whole vectors are better."""
    _, first = group.members[0]
    size, lanes = group.size, lanes_of(first)
    element = memref_type(first.base).element_type
    bytes_ = size_in_bytes(element)
    step = group.stretch.step
    if lanes < 2 or step == 0 or (abs(step) if step else size / lanes) > LONGEST_STEP:
        return f"{lanes} lanes are in {size} elements"
    if step is None and isinstance(first.base.owner, memref.AllocaOp):
        return "it is a permutation of registers (`permuted`)"
    masked = not is_all_on(first.mask)
    if masked and bytes_ < 4:
        return "not every machine has masks for elements of 8 or 16 bits"
    places = [group.places(constant) for constant, _ in group.members]
    touched = [place for each in places for place in each]
    if not group.is_load and sorted(touched) != [*range(size)]:
        return "there are gaps, which a store must leave alone, or lanes share elements"
    if any(_elsewhere(op) is None for _, op in group.members):
        return "inactive lanes get different values"
    # A shuffle has two sources; a mask takes as many as the elements it is of, and others
    # for lanes that share them.
    taken = sum(shuffles(each, bytes_) for each in places)
    masks = 2 * max(Counter(places[0]).values()) if masked else 0
    cost = _registers(size * bytes_) * (1 + masks) + taken
    each = 2 * lanes * len(group.members)
    if cost >= each:
        return f"{cost} operations on vectors instead of {each} on elements"
    return None


def shuffles(places: Sequence[int], bytes_: int) -> int:
    """How many shuffles of two registers take elements from these places."""
    per = REGISTER_BYTES // bytes_
    parts = (places[k : k + per] for k in range(0, len(places), per))
    return sum(max(1, len({place // per for place in part}) - 1) for part in parts)


class WholeVectors(Builder):
    """What a group accesses, as one stretch of elements from `at` on."""

    def __init__(
        self,
        group: InterleavedGroup,
        constants: ConstantPool,
        anchor: GatherOp | ScatterOp,
    ):
        before = Builder.before(anchor)
        super().__init__(before.point, before.like)
        self._group = group
        self.constants = constants
        self._anchor = anchor
        self._new: list[Operation] = []
        self.lanes = lanes_of(anchor)
        self._array, self._strides = self._flattened()
        self._at = self._start({op: number for number, op in group.members}[anchor])

    def shuffled(self, a: SSAValue, b: SSAValue, order: Sequence[int]) -> SSAValue:
        return self.add(shuffle(a, b, order))

    def interleaved(
        self, columns: Sequence[SSAValue], order: Sequence[int]
    ) -> SSAValue:
        """The elements of all columns, which are numbered column after column, in an order."""
        parts = columns
        # Pairs of neighbours are joined until there are two, which the last shuffle takes.
        while len(parts) > 2:
            pairs = [
                self.shuffled(a, b, range(_length(a) + _length(b)))
                for a, b in zip(parts[::2], parts[1::2], strict=False)
            ]
            parts = [*pairs, *parts[len(parts) & ~1 :]]
        return self.shuffled(parts[0], parts[-1], order)

    def load(self) -> SSAValue:
        """
        All elements from the lowest to the highest that a lane has.

        Without masks a last part may overlap the one before.
        """
        end = self._group.size
        if not is_all_on(self._anchor.mask):
            other = _elsewhere(self._anchor)
            assert other is not None
            mask = self._mask()
            element = memref_type(self._array).element_type
            off = self.constants.dense(other, element, _length(mask))
            load = vector.MaskedLoadOp(self._array, self._at, mask, off)
            return self._loaded(load)
        if end % self.lanes == 0 or end < self.lanes:
            return self._load(0, end)
        found: SSAValue | None = None
        for start in range(0, end, self.lanes):
            first = min(start, end - self.lanes)
            part = self._load(first, self.lanes)
            if found is None:
                found = part
                continue
            kept = range(start - first + start, start + self.lanes)
            found = self.shuffled(found, part, [*range(start), *kept])
        assert found is not None
        return found

    def load_part(self, first: int, count: int) -> SSAValue:
        """Elements from number `first` on; what would come after the last one is any other."""
        start = min(first, self._group.size - count)
        # Where the first load is: its operands may have changed since.
        op = self._new[0]
        assert isinstance(op, vector.LoadOp)
        self._array, self._at = op.base, [*op.indices]
        part = self._load(start, count)
        if start == first:
            return part
        kept = [*range(first - start, count)]
        return self.shuffled(part, part, kept + [0] * (count - len(kept)))

    def _load(self, first: int, count: int) -> SSAValue:
        type_ = vector_type(memref_type(self._array).element_type, count)
        return self._loaded(vector.LoadOp(self._array, self._from(first), type_))

    def _from(self, first: int) -> list[SSAValue]:
        """The indices of the element number `first`."""
        return [*self._at[:-1], self._plus(self._at[-1], first)]

    def store(self, value: SSAValue, first: int = 0) -> None:
        """Store elements from number `first` on."""
        if is_all_on(self._anchor.mask):
            self._access(vector.StoreOp(value, self._array, self._from(first)))
        else:
            mask = self._mask()
            self._access(vector.MaskedStoreOp(self._array, self._at, mask, value))

    def finish(self) -> None:
        """Leave out the members."""
        for _, op in self._group.members:
            remark(CombinedAccesses, op, tuple(self._new))
            op.detach()
            op.erase()

    def _access(self, op: Operation) -> None:
        group = self._group
        why = self._anchor.attributes.get(WHY)
        if group.stretch.step is None:
            why = StringAttr(f"lanes access {group.size} neighbours, in another order")
        op.attributes[ACCESS] = StringAttr(
            "row" if group.stretch.step is None else "strided"
        )
        if why is not None:
            op.attributes[WHY] = why
        self._new.append(op)
        self.append(op)

    def _loaded(self, op: vector.LoadOp | vector.MaskedLoadOp) -> SSAValue:
        self._access(op)
        return hint(op.result, named(self._array, "part"))

    def _plus(self, index: SSAValue, number: int) -> SSAValue:
        if number == 0:
            return index
        return self.add(arith.AddiOp(index, self.constants.index(number)), index)

    def _flattened(self) -> tuple[SSAValue, Sequence[int | SSAValue]]:
        """The array with its last dimensions as one, and the distances in these."""
        base = self._anchor.base
        type_ = _flattened_type(base)
        if type_ is None:
            data = memref.ExtractStridedMetaDataOp(base)
            self.append(data)
            each = zip(element_strides(base), data.strides, strict=True)
            strides = [value if number is None else number for number, value in each]
            return flattened(self, self.constants, base, data), strides
        rows, rank = type_.get_num_dims() - 1, memref_type(base).get_num_dims()
        known = [
            stride for stride in element_strides(base)[rows:] if stride is not None
        ]
        if type_ == base.type:
            return base, known
        order = [*([k] for k in range(rows)), list(range(rows, rank))]
        groups = ArrayAttr(
            [ArrayAttr([IntegerAttr(k, i64) for k in group]) for group in order]
        )
        collapse = memref.CollapseShapeOp.build(
            operands=[base],
            result_types=[type_],
            properties={"reassociation": groups},
        )
        return self.add(collapse, named(base, "flat")), known

    def _start(self, constant: int) -> list[SSAValue]:
        """Where the stretch begins; `constant` is that of the anchor."""
        anchor = self._anchor
        rows = memref_type(self._array).get_num_dims() - 1
        at: SSAValue | None = None
        back = -self._group.places(constant)[0]
        for index, distance in zip(anchor.offsets[rows:], self._strides, strict=True):
            number = constant_index(index)
            if number == 0:
                continue
            if number is not None and isinstance(distance, int):
                back += number * distance
                continue
            part = index
            if distance != 1:
                factor = distance
                if isinstance(factor, int):
                    factor = self.constants.index(factor)
                part = self.add(arith.MuliOp(index, factor), index)
            at = part if at is None else self.add(arith.AddiOp(at, part), index)
        first = first_offset(anchor)
        if first is None:
            lane = self.add(vector.ExtractOp(anchor.indices, [0], _element(anchor)))
            if not isinstance(lane.type, IndexType):
                lane = self.add(arith.IndexCastOp(lane, IndexType()))
            at = lane if at is None else self.add(arith.AddiOp(at, lane), at)
        back += first or 0
        at = self.constants.index(back) if at is None else self._plus(at, back)
        return [*anchor.offsets[:rows], at]

    def _mask(self) -> SSAValue:
        """Which elements belong to active lanes: of all, and to fill vectors some more."""
        group, mask = self._group, self._anchor.mask
        size = -(-group.size // self.lanes) * self.lanes
        owner, step = mask.owner, group.stretch.step or 0
        if isinstance(owner, vector.CreateMaskOp) and step > 0:
            end = self._end_of_active(owner.operands[0], step)
            return self.add(vector.CreateMaskOp([end], vector_type(i1, size)), mask)
        lanes_of = [dict[int, None]() for _ in range(size)]
        for constant, _ in group.members:
            for lane, place in enumerate(group.places(constant)):
                lanes_of[place][lane] = None
        none = self.constants.dense(0, i1, self.lanes, "none")
        orders = zip_longest(*lanes_of, fillvalue=self.lanes)
        first, *others = (self.shuffled(mask, none, order) for order in orders)
        for other in others:
            first = self.add(arith.OrIOp(first, other))
        return hint(first, mask)

    def _end_of_active(self, count: SSAValue, step: int) -> SSAValue:
        """How many elements there are up to the last one of the first `count` lanes."""
        gap = step * self.lanes - self._group.size
        if (number := constant_index(count)) is not None:
            return self.constants.index(min(number, self.lanes) * step - gap)
        lanes = self.constants.index(self.lanes)
        active = self.add(arith.MinSIOp(count, lanes), count)
        by = self.constants.index(step)
        elements = self.add(arith.MuliOp(active, by), "elements")
        return self._plus(elements, -gap)


def _flattened_type(base: SSAValue) -> MemRefType[Attribute] | None:
    """
    The type of `base` with its last dimensions as one, as far as their distances are known.

    `None` if their rows need not lie one after the other.
    """
    type_ = memref_type(base)
    strides = element_strides(base)
    rows = next(k for k, stride in enumerate(strides) if stride is not None)
    if rows + 1 == len(strides):
        return type_
    if not isinstance(type_.layout, NoneAttr):
        return None
    shape = type_.get_shape()
    last = DYNAMIC_INDEX if shape[rows] == DYNAMIC_INDEX else prod(shape[rows:])
    return MemRefType(
        type_.element_type, [*shape[:rows], last], NoneAttr(), type_.memory_space
    )


def _element(op: GatherOp | ScatterOp) -> Attribute:
    """The type of an offset."""
    return cast(VectorType[Attribute], op.indices.type).element_type


def lanes_of(op: GatherOp | ScatterOp) -> int:
    """How many lanes access memory."""
    return _length(op.indices)


def _length(value: SSAValue) -> int:
    return cast(VectorType[Attribute], value.type).get_shape()[0]


def _registers(bytes_: int) -> int:
    return -(-bytes_ // REGISTER_BYTES)


def is_all_on(mask: SSAValue) -> bool:
    """Whether `mask` is a constant that says that all lanes are active."""
    return splat_number(mask) in (1, -1)


def _elsewhere(op: GatherOp | ScatterOp) -> float | None:
    """What inactive lanes get, if that is one number."""
    return splat_number(op.pass_thru) if isinstance(op, GatherOp) else 0
