"""
Which work-items of a nest of loops become the lanes of one sub-group.

Lanes can go along any dimension, and in rows along several: 16 work-items in x of each of 4
in y. Of the shapes with as many lanes as `vector_width` wants, the one is taken that costs
each work-item least. What counts:

* an access is best along the dimension in which it is contiguous; rows each have one of
  their own, unless the element is the same in all of them, or one row follows the other;
* rows of accesses at constant distances, as in a stencil, are the same where they meet;
* where rows go along another dimension than memory, a tile of lanes is accessed by columns
  and transposed in registers, the cheaper the larger it is;
* what is the same along a dimension is computed once for all lanes along it;
* a sub-group with fewer lanes than registers want waits for results in loops as long as a
  full one;
* lanes beyond the end of a loop do nothing;
* lanes that leave a loop wait for its last, the less, the closer they are: where it differs along
  several dimensions when they leave, as in pictures, a tile of 16x4 waits less than a row.

The estimate is one of instructions, so a shape other than lanes along x must be better by a
margin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import ceil, prod

from xdsl.dialects import scf
from xdsl.ir import Region, SSAValue

from spmd.analysis.divergence.analyze import Divergence, analyze_work_items
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.limits import MAX_GROUP_SIZE, MAX_LANES
from spmd.dialects.spmd.types import is_float
from spmd.dialects.work_groups import work_item_dimension
from spmd.passes.sub_groups.choices.lane_terms import LaneShape, Term, price, terms_of
from spmd.passes.sub_groups.choices.turns import lanes_in_turns
from spmd.passes.sub_groups.choices.vector_width import (
    GENERIC_REGISTER_BITS,
    Width,
    demand,
    is_vector,
    lanes_in,
    lanes_in_registers,
    lanes_of,
)
from spmd.passes.sub_groups.choices.vectorization_cost import executed_ops, loops_around
from spmd.passes.sub_groups.edges.bent_accesses import interior_of
from spmd.passes.targets import (
    CACHE_LINE_BITS,
    LINE,
    NEAR_LINE,
    ROW,
    SHAPE_MARGIN,
    SUB_GROUP,
    SUMS_AT_ONCE,
    TILE_MARGIN,
    Target,
)


@dataclass(frozen=True)
class Work:
    """What one work-item does, from which follows what lanes of some shape would cost."""

    terms: Mapping[Term, float]
    lanes: int
    """How many are wanted."""
    registers: int
    """How many of these a value should fill."""
    widest: int
    """The bits of the widest element."""
    register_bits: int
    tile: int
    """How many lanes registers hold, where that saves accesses and lanes do not diverge."""
    sums: int
    """How many floats loops carry, if lanes do not diverge."""

    @classmethod
    def of(
        cls,
        body: Region,
        dimensions: Sequence[int],
        divergence: Divergence,
        width: Width,
        target: Target,
    ) -> Work:
        """That of `body`, in which work-items differ along `dimensions`."""
        registers, widest, _ = demand(body, target, lambda: divergence)
        lanes = lanes_in(registers, widest, target) if width == "auto" else width
        bits = target.register_bits if width == "auto" else GENERIC_REGISTER_BITS
        terms = terms_of(body, dimensions, divergence)
        tile, carried = 0, _carried(body, divergence)
        sums = sum(is_float(each.type) for each in carried or ())
        crosses = len({each.along for each in terms} - {None}) > 1
        if width == "auto" and carried is not None and (carried or crosses):
            most = lanes_in_registers(widest, target) // max(len(carried), 1)
            tile = power_below(min(MAX_LANES, most))
        return cls(terms, lanes, registers, widest, bits, tile, sums)

    def cost(self, shape: LaneShape, items: Sequence[int]) -> float:
        """Of all that a sub-group does, for each of its share of so many `items`."""
        total = SUB_GROUP + sum(
            weight * price(term, shape, self.register_bits, self.registers)
            for term, weight in self.terms.items()
        )
        for place, extent in zip(shape.places, shape.extents, strict=True):
            total *= ceil(items[place] / extent) / items[place]
        return total

    def memory(self, items: Sequence[int]) -> float:
        """
        What a group of so many `items` waits for memory, for each of them.

        It loads once what several of its work-items access, and from nearby what the groups beside
        it have loaded. What loops go through is near when the next group comes, but for stencils.
        """
        total = 0.0
        for term, weight in self.terms.items():
            along, is_stencil = term.along, len(term.offsets) > 1
            if along is not None and (is_stencil or not term.depth):
                lines = items[along] * term.bits / CACHE_LINE_BITS
                stretches = term.stretches(items)
                # Launches go along x, and come to the next y before the next z.
                first = term.stretches(items, len(items) - 2)
                # Rows of a stencil begin and end beside the lines of those who store.
                near = lines * (stretches - first) + is_stencil * stretches
                total += weight * (
                    ROW * stretches + LINE * lines * first + NEAR_LINE * near
                )
        return total / prod(items)

    def best_shape(self, items: Sequence[int]) -> LaneShape:
        """Lanes along the last loop, or the shape that costs least if that is far better."""
        last = len(items) - 1
        usual = LaneShape((last,), (min(self.lanes, power_above(items[last])),))
        shapes = _shapes(items, self.lanes)
        best = min(shapes, key=lambda shape: self.cost(shape, items), default=usual)
        far = self.cost(best, items) < SHAPE_MARGIN * self.cost(usual, items)
        return best if far else usual

    def best_tile(self, items: Sequence[int], shape: LaneShape) -> LaneShape:
        """
        `shape`, or one for which loops load, or transposed tiles take, far less per item.

        Outer loops are unrolled and jammed for the same: Callahan, Carr, Kennedy, "Improving
        Register Allocation for Subscripted Variables", PLDI 1990. If lanes of `shape` wait for
        their sums, a tile that loads just as much is better, too.
        """
        shared = {
            each: times
            for each, times in self.terms.items()
            if each.is_shared or each.along is not None
        }
        inner = replace(self, terms=shared)
        tiles = _shapes(items, self.tile)
        best = min(tiles, key=lambda tile: inner.cost(tile, items), default=shape)
        margin = 1 if self._waits(shape) else TILE_MARGIN
        less = inner.cost(best, items) < margin * inner.cost(shape, items)
        return best if less else shape

    def _waits(self, shape: LaneShape) -> bool:
        """Whether fewer sums are added to at a time than a core adds while one takes."""
        registers = prod(shape.extents) * self.widest / self.register_bits
        return 0 < self.sums * registers < SUMS_AT_ONCE


def choose_lane_shape(
    nest: Sequence[scf.ForOp],
    width: Width,
    target: Target,
    analyze: Callable[[], Divergence],
) -> LaneShape:
    """
    The best shape for lanes of a nest of work-item loops, given from the outside.

    A fixed width is only made smaller where there are fewer work-items, and the choice does
    not depend on this machine then. `analyze` says where the work-items of the nest diverge,
    if that matters.
    """
    items = _most_items(nest)
    if len(nest) == 1 or width == 1 or not 1 < max(items) < MAX_GROUP_SIZE:
        lanes = width
        if lanes == "auto":
            lanes = lanes_of(nest[-1], target, analyze)
            if len(nest) == 1 and items[0] < MAX_GROUP_SIZE:
                lanes = lanes_in_turns(nest[0], items[0], lanes, target, analyze)
        return LaneShape((len(nest) - 1,), (min(lanes, power_above(items[-1])),))
    dimensions = [*map(work_item_dimension, nest)]
    with interior_of(nest) as interior:
        divergence = analyze() if interior is nest else analyze_work_items(interior[0])
        work = Work.of(interior[-1].body, dimensions, divergence, width, target)
    return work.best_tile(items, work.best_shape(items))


def fixed_lane_shape(nest: Sequence[scf.ForOp], shape: Sequence[int]) -> LaneShape:
    """Lanes as `shape` says, x first, or fewer where there are not as many work-items."""
    places: list[int] = []
    extents: list[int] = []
    items = _most_items(nest)
    for place in reversed(range(len(nest))):
        dimension = work_item_dimension(nest[place])
        extent = shape[dimension] if dimension < len(shape) else 1
        if (extent := min(extent, power_above(items[place]))) > 1:
            places.append(place)
            extents.append(extent)
    return LaneShape(tuple(places or (len(nest) - 1,)), tuple(extents or (1,)))


def _most_items(nest: Sequence[scf.ForOp]) -> list[int]:
    """How many work-items each loop may run, but at least one."""
    ranges = IntegerRanges()
    return [max(1, ranges.of(loop.ub).high - ranges.of(loop.lb).low) for loop in nest]


def why_shape(loops: Sequence[scf.ForOp], extents: Sequence[int]) -> str | None:
    """
    Along which dimensions lanes go, and why; `None` if along x alone.

    The loops stand from the outside, the extents are those of rows first.
    """
    named = [
        f"{extent} along {'xyz'[work_item_dimension(loop)]}"
        for loop, extent in zip(reversed(loops), extents, strict=True)
    ]
    if len(named) == 1 and work_item_dimension(loops[0]) == 0:
        return None
    return f"{' and '.join(named)}, where accesses, registers and divergent loops cost least"


def power_above(number: int) -> int:
    """The least power of two that is not below `number`."""
    return 1 << max(0, number - 1).bit_length()


def power_below(number: int) -> int:
    """The greatest power of two that is not above `number`, but at least one."""
    return 1 << max(0, number.bit_length() - 1)


def _shapes(items: Sequence[int], lanes: int) -> Iterator[LaneShape]:
    """The shapes with as many lanes as there can be; long rows and few of them first."""
    places = [place for place in reversed(range(len(items))) if items[place] > 1]
    for order in permutations(places) if places else ():
        most = [power_above(items[place]) for place in order]
        row = min(lanes, most[0])
        while row > 1:
            extents, rest = [row], lanes // row
            for extent in most[1:]:
                extents.append(min(rest, extent))
                rest //= extents[-1]
            rank = max(d + 1 for d, extent in enumerate(extents) if extent > 1)
            yield LaneShape(order[:rank], tuple(extents[:rank]))
            row //= 2


def _carried(body: Region, divergence: Divergence) -> list[SSAValue] | None:
    """What becomes vectors that loops carry; `None` if lanes diverge in one, or at it."""
    carried, outermost = list[SSAValue](), body.parent
    assert outermost is not None
    for op in executed_ops(body.block):
        flow = RegionBranch.of(op)
        is_loop = flow is not None and flow.runs is Runs.LOOP
        if divergence.is_divergent(op) and (
            is_loop or any(loops_around(op, outermost))
        ):
            return None
        if is_loop:
            carried += [each for each in op.results if is_vector(each, divergence)]
    return carried
