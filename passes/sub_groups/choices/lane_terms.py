"""
What one work-item does, as terms of which each has a price for every shape of lanes.

A term is some ops that cost the same, or the loads of a stencil: those of one array at constant
distances, of which rows of lanes that meet are one. Those under different masks stay apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2, prod

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, Region

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.memory.walks import Walks
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.passes.memory.accesses.load_chunks import FEWEST, chunks_pay
from spmd.passes.sub_groups.choices.cycles import trips
from spmd.passes.sub_groups.choices.elements import element_bits
from spmd.passes.sub_groups.choices.latency import is_near
from spmd.passes.sub_groups.choices.places import Offset, Positions
from spmd.passes.sub_groups.choices.vectorization_cost import executed_ops, loops_around
from spmd.passes.targets import (
    APART,
    CACHE_LINE_BITS,
    CHUNKED,
    LONGEST_STEP,
    MOVE,
    OPERAND,
    STRIDED,
)


@dataclass(frozen=True)
class LaneShape:
    """Lanes along some dimensions of a nest of work-item loops."""

    places: tuple[int, ...]
    """The loops of the nest along which lanes go, the one of rows first."""

    extents: tuple[int, ...]
    """Lanes along each."""


@dataclass(frozen=True)
class Term:
    """Ops of the same cost, or loads of one array at constant distances."""

    strides: tuple[int | None, ...]
    """From one lane to the next along each loop: elements of memory, or 0 and `None`."""

    bits: int
    depth: int
    is_access: bool
    is_private: bool = False
    is_local: bool = False
    walks: bool = False
    """Whether a loop that all lanes run goes along memory."""

    leaves_along: tuple[int, ...] = ()
    """The loops along which it differs when lanes leave a loop around, if there are several."""

    offsets: tuple[Offset, ...] = ()
    """Of each of the loads of a stencil; empty for other ops."""

    def rows(self, shape: LaneShape) -> int:
        """
        How many rows of lanes differ in what the ops access.

        Of rows that go along memory, or are one element each, those of several loads may be one.
        """
        if len(self.offsets) > 1 and self.strides[shape.places[0]] in (0, 1, -1):
            return sum(each.bit_count() for each in self._row_sets(shape).values())
        return prod(extent for _, extent in self._across(shape)) * max(
            1, len(self.offsets)
        )

    def _across(self, shape: LaneShape) -> list[tuple[int, int]]:
        lanes = zip(shape.places[1:], shape.extents[1:], strict=True)
        return [(place, extent) for place, extent in lanes if self.strides[place] != 0]

    def _row_sets(self, shape: LaneShape) -> Mapping[Offset, int]:
        """
        The rows of lanes that loads of a stencil access, by their offset along other loops.

        A set of rows is a number: one bit for each, `pitch` from one along a loop to the next.
        """
        rows, pitch = 1, 1
        places = [0] * len(self.offsets)
        across = self._across(shape)
        for place, extent in across:
            along = [offset[place] for offset in self.offsets]
            places = [
                at + (o - min(along)) * pitch
                for at, o in zip(places, along, strict=True)
            ]
            rows = sum(rows << step * pitch for step in range(extent))
            pitch *= max(along) - min(along) + extent
        found: defaultdict[Offset, int] = defaultdict(int)
        crossed = {place for place, _ in across}
        for offset, at in zip(self.offsets, places, strict=True):
            other = (0 if d in crossed else each for d, each in enumerate(offset))
            found[tuple(other)] |= rows << at
        return found

    def strips(self, shape: LaneShape) -> tuple[int, int]:
        """How many strips of memory `load-chunks` finds for lanes, and rows in them."""
        first, length = shape.places[0], shape.extents[0]
        by_strip: defaultdict[Offset, list[int]] = defaultdict(list)
        least = min(offset[first] for offset in self.offsets)
        for offset, rows in self._row_sets(shape).items():
            part = (offset[first] - least) // (length + 1)
            by_strip[(*offset[:first], part, *offset[first + 1 :])].append(rows)
        strips = inside = 0
        for sets in by_strip.values():
            # Those in which at least so many of the loads are.
            found = [-1, *(0 for _ in range(FEWEST))]
            for rows in sets:
                for fewer in reversed(range(FEWEST)):
                    found[fewer + 1] |= found[fewer] & rows
            strips += found[FEWEST].bit_count()
            inside += sum((rows & found[FEWEST]).bit_count() for rows in sets)
        return strips, inside

    def stretches(self, items: Sequence[int], near: int | None = None) -> int:
        """
        How many stretches of memory the ops access in a group of so many `items`.

        Without those that groups beside it along the loop `near` access.
        """
        first = self.along
        assert first is not None, "only what is contiguous comes in stretches"
        same = (first, near)
        rows = {
            tuple(0 if place in same else step for place, step in enumerate(each)): None
            for each in self.offsets
        }
        order = (first, *(place for place in range(len(items)) if place != first))
        group = LaneShape(order, tuple(items[place] for place in order))
        return replace(self, offsets=tuple(rows)).rows(group)

    @property
    def is_shared(self) -> bool:
        """Whether a loop accesses the same memory for several work-items."""
        return self.is_access and self.depth > 0 and not self.is_private

    @property
    def along(self) -> int | None:
        """
        The only loop along which the access is contiguous.

        Of local memory it does not matter: it lies in the nearest cache, where gathers are as
        fast as tiles that go through it. Such a tile has as many rows as lines of memory are
        accessed at once, which are slow if they fall into the same sets of the cache.
        """
        ones = [place for place, each in enumerate(self.strides) if each == 1]
        known = self.is_access and not (self.is_private or self.is_local)
        return ones[0] if known and len(ones) == 1 else None


def terms_of(
    body: Region, dimensions: Sequence[int], divergence: Divergence
) -> Mapping[Term, float]:
    """What `body` does for one work-item, and how often."""
    terms: defaultdict[Term, float] = defaultdict(float)
    positions, going = Positions(divergence, dimensions), Walks()
    stencils: dict[tuple[object, ...], tuple[Term, float, dict[Offset, None]]] = {}
    outermost = body.parent
    assert outermost is not None
    for op in executed_ops(body.block):
        loops = list(loops_around(op, outermost))
        depth, leaves = len(loops), _leaves_along(loops, dimensions, divergence)
        weight = prod(map(trips, loops)) * max(1, cost_class(op))
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            found = [access_pattern(divergence, op, d) for d in dimensions]
            bits = element_bits(op.memref.type.element_type)  # pyright: ignore
            strides = tuple(pattern.stride for pattern in found)
            local = is_near(op.memref)
            walks = op in going and not any(
                divergence.is_divergent(loops[0], d) for d in dimensions
            )
            private = found[0].private
            term = Term(strides, bits, depth, True, private, local, walks, leaves)
            places = None
            if isinstance(op, memref.LoadOp) and not term.is_private:
                places = positions.of(op)
            if places is None:
                terms[term] += weight
                continue
            weight /= len(places)
            mask = _mask_around(op, divergence, outermost)
            for array, offset in places:
                key = (array, term, weight, mask)
                stencils.setdefault(key, (term, weight, {}))[2][offset] = None
        elif cost_class(op) is not CostClass.FREE:
            term = _computed(op, divergence, dimensions, depth)
            terms[replace(term, leaves_along=leaves)] += weight
    for term, weight, offsets in stencils.values():
        terms[replace(term, offsets=tuple(offsets))] += weight
    return terms


def _leaves_along(
    loops: Sequence[Operation], dimensions: Sequence[int], divergence: Divergence
) -> tuple[int, ...]:
    """Along which dimensions it differs when lanes leave one of `loops`, if along several."""
    for loop in loops:
        along = [
            p for p, d in enumerate(dimensions) if divergence.is_divergent(loop, d)
        ]
        if len(along) > 1:
            return tuple(along)
    return ()


def _mask_around(
    op: Operation, divergence: Divergence, outermost: Operation
) -> Block | None:
    """The branch that `op` is in of the nearest op at which lanes diverge."""
    block, around = op.parent, op.parent_op()
    while around is not None and around is not outermost:
        if divergence.is_divergent(around):
            return block
        block, around = around.parent, around.parent_op()
    return None


def _computed(
    op: Operation, divergence: Divergence, dimensions: Sequence[int], depth: int
) -> Term:
    bits = max((element_bits(result.type) for result in op.results), default=0)
    if op.regions:
        return Term((0,) * len(dimensions), bits, depth, False)
    shapes = [
        [divergence.shape(result, d) for result in op.results] for d in dimensions
    ]
    strides = tuple(
        0 if all(each.is_strided for each in along) else None for along in shapes
    )
    return Term(strides, bits, depth, False)


def price(term: Term, shape: LaneShape, register_bits: int, registers: int) -> float:
    """
    What a term costs a sub-group, in instructions.

    A loop takes as long as for values of so many `registers`, which hide its waiting; and until
    its last lane leaves it, which is the later, the farther apart lanes are.
    """
    once = _price_once(term, shape, register_bits, registers)
    steps = sum(
        extent - 1
        for place, extent in zip(shape.places, shape.extents, strict=True)
        if place in term.leaves_along
    )
    return once * (1 + APART * steps)


def _price_once(
    term: Term, shape: LaneShape, register_bits: int, registers: int
) -> float:
    """The same if all lanes leave the loops around it together."""
    along = [term.strides[place] for place in shape.places]
    (stride, *others), (row, *_) = along, shape.extents
    per_register = max(1, register_bits // max(1, term.bits))
    if term.is_private:
        # The same element of all lanes is contiguous.
        return prod(shape.extents) / (per_register if not any(along) else 1)
    rows = term.rows(shape)
    if stride == 0:
        return rows * (OPERAND if term.is_access else 1)
    if not term.is_access:
        whole = ceil(row * rows / per_register)
        return max(whole, registers) if term.depth else whole
    steps = [prod(shape.extents[:d]) for d in range(len(along))]
    if along == steps:
        whole = ceil(prod(shape.extents) / per_register)
        return MOVE * whole * max(1, len(term.offsets))
    if stride in (1, -1):
        stays = term.is_local or term.depth
        line = 0 if stays else CACHE_LINE_BITS // max(1, term.bits)
        cost = _rows(row, rows, per_register, max(per_register, line))
        # LLVM unrolls loops, which is too late.
        chunks = stride == 1 and len(term.offsets) >= FEWEST and term.depth == 0
        if chunks and chunks_pay(row, term.bits, register_bits):
            strips, inside = term.strips(shape)
            saved = (MOVE - CHUNKED) * (inside - strips) * row / per_register
            cost += CHUNKED * strips - saved
        return cost
    if 1 in others:
        column = shape.extents[1 + others.index(1)]
        side, other = sorted((row, column))
        shuffles = side * ceil(other / per_register) * log2(side)
        tiles = row * rows // (row * column)
        columns = _rows(column, row * rows // column, per_register, per_register)
        return columns + shuffles * tiles
    if term.walks:
        # Through a tile in registers, and memory.
        return ceil(row / per_register) * rows * (2 * MOVE + log2(per_register))
    if term.offsets and stride is not None and abs(stride) <= LONGEST_STEP:
        # All between the first lane and the last, and shuffles.
        return STRIDED * abs(stride) * ceil(row / per_register) * rows
    is_far = term.is_access and not term.is_local
    return row * rows * (MOVE if is_far else 1)


def _rows(length: int, rows: int, per_register: int, whole: int) -> float:
    """
    What accesses of so many contiguous elements cost; those of less than `whole` no less.

    Several sub-groups access the cache line of a short row. Outside of loops it may have gone by
    then: rows that are a power of two apart all want the same place.
    """
    return MOVE * rows * (ceil(length / per_register) + (length < whole))
