"""Code that asks, before lanes begin, whether one of them is near an edge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from spmd.analysis.divergence.interiors import Interiors, Number, Straight, Test
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool, Rematerializer
from spmd.dialects.enclosing import function_around, is_outside
from spmd.dialects.rewriting import hint, named
from spmd.dialects.spmd import SubGroupOp


@dataclass(frozen=True)
class _Corner:
    """The lane and the iterations in which a number is least, or greatest."""

    falling: frozenset[SSAValue]
    """Lanes and counters with which the number falls."""

    is_last: bool


class Question:
    """What is asked at one point in a sub-group, of some bent values."""

    def __init__(
        self,
        group: SubGroupOp,
        interiors: Interiors,
        at: Builder,
        before: Sequence[Operation],
        bent: Iterable[Straight],
    ):
        """`before`: the operations of the sub-group before the point."""
        self._group = group
        self._before = set(before)
        self._interiors = interiors
        self._at = at
        self.constants = ConstantPool(function_around(group).body.block)
        self._ranges = IntegerRanges()
        self._corners: dict[_Corner, Rematerializer] = {}
        tests = [test for straight in bent for test in straight.tests]
        self._numbers: dict[tuple[Number, bool], SSAValue] = {}
        self._last_lanes: dict[SSAValue, SSAValue] = {}
        self._edges: dict[bool, SSAValue] = {}
        self._least = self._all_of(self._hold(tests, True), "least_inside")
        self._most = self._all_of(self._hold(tests, False), "most_inside")
        self._rise = self._rises_of(tests)

    def interior(self) -> SSAValue:
        """Whether all values are straight, in all lanes and iterations."""
        sides = [side for side in (self._least, self._most) if side is not None]
        inside = self._all_of([*sides, *self._rise], "interior")
        assert inside is not None, "what bends has a test"
        return inside

    def border(self, bent: Iterable[Straight]) -> SSAValue | None:
        """
        Whether lanes are beyond one edge only; by less than a period, those that are shifted.

        `None` if nothing has to be asked for that.
        """
        near: list[SSAValue] = []
        if self._least is not None and self._most is not None:
            near.append(self._at.add(arith.OrIOp(self._least, self._most)))
        for straight in bent:
            if straight.period is not None:
                near += self._within_period(straight.number, straight.period)
        return self._all_of([*near, *self._rise], "border")

    def _within_period(
        self, number: Number, period: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """Whether `number` is above `-period` everywhere, and below `2 * period`."""
        at, period = self._at, self._shared(period)
        zero = self.constants.number(0, period.type)
        below, above = arith.SubiOp(zero, period), arith.AddiOp(period, period)
        least, most = (self._in_corner(number, is_last) for is_last in (False, True))
        return (
            at.add(arith.CmpiOp(least, at.add(below, "below"), "sgt")),
            at.add(arith.CmpiOp(most, at.add(above, "above"), "slt")),
        )

    def edge_lane(self, number: Number) -> SSAValue:
        """Along x, the lane in which `number` is beyond an edge if it is so in any."""
        lane = self._group.body.block.args[0]
        falls = self._interiors.steps(number)[lane] < 0
        if falls not in self._edges:
            least, most = self._lane(lane, falls), self._lane(lane, not falls)
            if self._least is not None:
                most = self._at.add(arith.SelectOp(self._least, most, least), "edge")
            self._edges[falls] = most
        return self._edges[falls]

    def _hold(self, tests: Sequence[Test], of_least: bool) -> list[SSAValue]:
        """Whether those of `tests` hold that fail where numbers are least, or greatest."""
        extremes: dict[object, tuple[int, Test]] = {}
        for test in tests:
            if test.of_least is of_least:
                family, constant = self._interiors.family(test.number)
                key = family, test.predicate, test.bound
                known = extremes.setdefault(key, (constant, test))
                if constant < known[0] if of_least else constant > known[0]:
                    extremes[key] = constant, test
        return [self._holds(test) for _, test in extremes.values()]

    def _holds(self, test: Test) -> SSAValue:
        number = self._in_corner(test.number, not test.of_least)
        bound = (
            self.constants.number(test.bound, number.type)
            if isinstance(test.bound, int)
            else self._shared(test.bound)
        )
        return self._at.add(arith.CmpiOp(number, bound, test.predicate), "inside")

    def _rises_of(self, tests: Sequence[Test]) -> list[SSAValue]:
        """Whether no number wraps around, of those that differ by constants the whole range."""
        families: dict[object, list[tuple[int, Number]]] = {}
        for test in tests:
            family, constant = self._interiors.family(test.number)
            families.setdefault(family, []).append((constant, test.number))
        found: list[SSAValue] = []
        for numbers in families.values():
            if any(self._may_wrap(number) for _, number in numbers):
                numbers.sort(key=lambda each: each[0])
                least = self._in_corner(numbers[0][1], False)
                most = self._in_corner(numbers[-1][1], True)
                found.append(self._at.add(arith.CmpiOp(least, most, "sle"), "rises"))
        return found

    def _may_wrap(self, number: Number) -> bool:
        """
        Whether ranges do not exclude that `number` wraps around.

        They believe in flags, which may not hold in lanes that do not compute it: what is cut off
        by one reaches an end of its type, in the number or on the way to it.
        """
        if number.less is not None:
            return True
        made = reachable([number.value], self._varying_operands)
        return any(map(self._reaches_an_end, made))

    def _varying_operands(self, value: SSAValue) -> Sequence[SSAValue]:
        if not isinstance(op := value.owner, Operation):
            return ()
        return [each for each in op.operands if not self._interiors.is_shared(each)]

    def _reaches_an_end(self, value: SSAValue) -> bool:
        known, width = self._ranges.of(value), bit_width(value.type)
        most = 0 if width is None else (1 << width - 1) - 1
        return not (-most <= known.low and known.high < most)

    def _all_of(self, conditions: Sequence[SSAValue], name: str) -> SSAValue | None:
        if not conditions:
            return None
        both = reduce(lambda a, b: self._at.add(arith.AndIOp(a, b)), conditions)
        return hint(both, name)

    def _in_corner(self, number: Number, is_last: bool) -> SSAValue:
        """What `number` is where it is greatest if `is_last`, or least."""
        key = number, is_last
        if key not in self._numbers:
            steps = self._interiors.steps(number)
            falling = frozenset(each for each, step in steps.items() if step < 0)
            value = self._corner(_Corner(falling, is_last)).get(number.value)
            name = named(number.value, "most" if is_last else "least")
            if value is not number.value and not is_outside(value, self._group):
                value.name_hint = name
            if number.less is not None:
                less = arith.SubiOp(value, self._shared(number.less))
                value = self._at.add(less, name)
            self._numbers[key] = value
        return self._numbers[key]

    def _shared(self, value: SSAValue) -> SSAValue:
        """What is called there what all lanes share."""
        return self._corner(_Corner(frozenset(), False)).get(value)

    def _corner(self, corner: _Corner) -> Rematerializer:
        if corner not in self._corners:
            self._corners[corner] = Rematerializer(
                self._at, lambda value: self._known(value, corner), True
            )
        return self._corners[corner]

    def _known(self, value: SSAValue, corner: _Corner) -> SSAValue | None:
        """What `value` is called in a corner, if it is not computed of others."""
        if is_outside(value, self._group):
            return value
        owner = value.owner
        if isinstance(owner, Operation):
            is_there = owner in self._before and self._interiors.is_shared(value)
            return value if is_there else None
        assert isinstance(value, BlockArgument)
        is_last = corner.is_last != (value in corner.falling)
        if owner is self._group.body.block:
            return self._lane(value, is_last)
        loop = owner.parent_op()
        assert isinstance(loop, scf.ForOp), "it counts iterations"
        if not is_last:
            return self._shared(loop.lb)
        one = self.constants.number(1, value.type)
        return self._at.add(arith.SubiOp(self._shared(loop.ub), one), "last")

    def _lane(self, value: BlockArgument, is_last: bool) -> SSAValue:
        """The number of the last lane along a dimension that exists, or of the first one."""
        place, at = value.index, self._at
        base = self._group.bases[place]
        if not is_last:
            return base
        if value not in self._last_lanes:
            extent = self._group.lane_shape[place]
            ahead = self.constants.index(extent - 1)
            if self._group.counts:
                count, one = self._group.counts[place], self.constants.index(1)
                less = at.add(arith.SubiOp(count, one))
                ahead = at.add(arith.MinSIOp(less, ahead), "ahead")
            last = at.add(arith.AddiOp(base, ahead), named(value, "last"))
            self._last_lanes[value] = last
        return self._last_lanes[value]
