"""
The structure of a graph of blocks: which branches and loops say the same as its jumps.

Every cycle becomes one loop, and what a branch decides alone becomes an arm of it. Where
paths join in one place, that place simply follows. Where they join in several, a variable
says where to go on: the jumps set it, and a *dispatch* after the branch asks it. No block
is copied. This is the restructuring of Bahmann, Reissmann, Jahre and Meyer, "Perfect
Reconstructability of Control Flow from Demand Dependence Graphs" (ACM TACO 11(4), 2015),
sections 4.1 (loops) and 4.2 (branches), on dominator trees: a block stands in the arm that
alone leads to it, else after the branch that dominates it.

```
a: if c goto b else e        a
b: if d goto t else e        if c { b; if d { t } else { path = 1 } } else { path = 1 }
t: goto j                    if path { e }
e: goto j                    j
j:
```
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute

from spmd.analysis.graphs.dominators import dominators_without_cycles
from spmd.analysis.graphs.traversal import strongly_connected
from spmd.passes.structuring.block_graph import BlockGraph, Jump, Variable
from spmd.passes.structuring.code import (
    Arm,
    Branch,
    Dispatch,
    Go,
    HeadedLoop,
    Loop,
    Place,
    Places,
    Run,
    Start,
)

DEEPEST = 24
"""How deep branches are nested before what follows is written after them instead."""


@dataclass(eq=False)
class _Unit:
    """A block that is on no cycle, or all blocks that are on common cycles."""

    blocks: list[int]
    is_loop: bool
    entries: dict[int, None] = field(default_factory=dict[int, None])
    arrivals: int = 0
    """Jumps from other units, or into the region."""

    open: int = 0
    """Those of them that are not in the plan yet."""

    joins: list[_Unit] = field(default_factory=list["_Unit"])
    """The units that this one dominates at once and that are no arm of it."""

    entry: Variable | None = None
    """Says where it begins, if it has several entries."""


@dataclass(eq=False)
class _Frame:
    """What is being written after one unit."""

    start: Start
    arm: Arm
    depth: int
    joins: dict[_Unit, None]


@dataclass(eq=False)
class _Region:
    """Some blocks with one begin, while they are planned."""

    units: dict[Place, _Unit]
    base: int
    root: _Frame | None = None


Planning = Generator[Any, Any, Any]


class Irreducible(NamedTuple):
    """A loop that is entered in several places."""

    entries: Sequence[int]
    blocks: frozenset[int]


@dataclass(frozen=True)
class Plan:
    """The structure of all blocks."""

    code: Arm
    irreducible: Sequence[Irreducible]


def make_plan(graph: BlockGraph) -> Plan:
    """Find the structure of `graph`, whose jumps learn what they have to set."""
    planner = _Planner(graph)
    blocks = range(graph.exit)
    code = _run(planner.region(blocks, [0], 0))
    return Plan(code, planner.irreducible)


def _run(planning: Planning) -> Any:
    """Run functions that call each other by `yield`, however deep."""
    stack = [planning]
    answer: Any = None
    while True:
        try:
            called = stack[-1].send(answer)
        except StopIteration as stop:
            stack.pop()
            answer = stop.value
            if not stack:
                return answer
        else:
            stack.append(called)
            answer = None


class _Planner:
    def __init__(self, graph: BlockGraph):
        self.graph = graph
        self.irreducible: list[Irreducible] = []
        self._begun: set[int] = set()
        """Where the loops begin in which the current code stands."""

    def _place(self, jump: Jump) -> Place:
        return Place(jump.target, jump.target in self._begun)

    # Regions

    def region(
        self,
        blocks: Sequence[int],
        entries: Sequence[int],
        depth: int,
        entry: Variable | None = None,
    ) -> Planning:
        """Plan `blocks`, which begin at one of `entries`: that of number `entry`."""
        region, joins = self._region(blocks, entries, depth)
        arm = Arm()
        if entry is None:
            unit = region.units[Place(entries[0])]
            arm.after = yield self._unit(region, unit, arm, depth)
            return arm
        frame = region.root = _Frame(Start(), arm, depth, joins)
        arm.items.append(frame.start)
        arms: list[Arm] = []
        for begin in (*entries[1:], entries[0]):
            unit = region.units[Place(begin)]
            arms.append(inner := Arm())
            inner.after = yield self._unit(region, unit, inner, depth + 1)
        arm.items.append(Dispatch(entry, arms, entries[0]))
        arm.after = yield self._rest(region, frame, _merged(arms))
        return arm

    def _region(
        self, blocks: Sequence[int], entries: Sequence[int], depth: int
    ) -> tuple[_Region, dict[_Unit, None]]:
        """The units of `blocks`, and those that several entries lead to."""
        local = {Place(block): i for i, block in enumerate(blocks)}
        edges = [
            [
                local[place]
                for place in map(self._place, self.graph.jumps[block])
                if place in local
            ]
            for block in blocks
        ]
        units: list[_Unit] = []
        unit_at: dict[Place, _Unit] = {}
        number: dict[int, int] = {}
        for component in strongly_connected(range(len(edges)), edges.__getitem__):
            members = sorted(blocks[i] for i in component)
            is_loop = len(component) > 1 or component[0] in edges[component[0]]
            unit = _Unit(members, is_loop)
            units.append(unit)
            for block in members:
                unit_at[Place(block)] = unit
                number[block] = len(units)
        # Node 0 is before all entries.
        before: list[list[int]] = [[] for _ in range(len(units) + 1)]
        for entry in entries:
            unit_at[Place(entry)].entries[entry] = None
            before[number[entry]].append(0)
        for block in blocks:
            for jump in self.graph.jumps[block]:
                target = unit_at.get(self._place(jump))
                if target is not None and number[jump.target] != number[block]:
                    target.entries[jump.target] = None
                    target.arrivals += 1
                    before[number[jump.target]].append(number[block])
        joins: dict[_Unit, None] = {}
        for unit, dominator in zip(
            units, dominators_without_cycles(before)[1:], strict=True
        ):
            unit.open = unit.arrivals
            if dominator == 0:
                if unit.arrivals > 1:
                    joins[unit] = None
            elif unit.arrivals > 1 or units[dominator - 1].is_loop:
                units[dominator - 1].joins.append(unit)
        return _Region(unit_at, depth), joins

    # Units

    def _unit(self, region: _Region, unit: _Unit, arm: Arm, depth: int) -> Planning:
        """Plan a unit, and all that it dominates, at the end of `arm`."""
        frame = _Frame(Start(), arm, depth, dict.fromkeys(unit.joins))
        if region.root is None:
            region.root = frame
        arm.items.append(frame.start)
        if unit.is_loop:
            after = yield self._loop(region, unit, arm, depth)
            return (yield self._rest(region, frame, after))
        (block,) = unit.blocks
        arm.items.append(Run(block))
        jumps = self.graph.jumps[block]
        if len(jumps) == 1:
            after = yield self._way(region, jumps[0], arm, depth)
            return (yield self._rest(region, frame, after))
        arms: list[Arm] = []
        for jump in jumps:
            arms.append(inner := Arm())
            inner.after = yield self._way(region, jump, inner, depth + 1)
        arm.items.append(Branch(block, arms))
        return (yield self._rest(region, frame, _merged(arms)))

    def _way(self, region: _Region, jump: Jump, arm: Arm, depth: int) -> Planning:
        """Plan a jump, and what it alone leads to."""
        arm.items.append(Go(jump))
        place = self._place(jump)
        unit = region.units.get(place)
        if unit is not None:
            unit.open -= 1
            if unit.arrivals == 1:
                if depth - region.base <= DEEPEST:
                    return (yield self._unit(region, unit, arm, depth))
                assert region.root is not None, "a region has a root"
                region.root.joins[unit] = None
        return {place: None}

    def _rest(self, region: _Region, frame: _Frame, after: Places) -> Planning:
        """Plan what a frame has to go on with, once control may be `after` it."""
        while True:
            ready: dict[_Unit, None] = {}
            elsewhere: Places = {}
            for place in sorted(after):
                unit = region.units.get(place)
                if unit is not None and unit in frame.joins and not unit.open:
                    ready[unit] = None
                else:
                    elsewhere[place] = None
            if not ready:
                break
            for unit in ready:
                del frame.joins[unit]
                if len(unit.entries) > 1:
                    self._choose_entry(unit, frame)
            if len(ready) == 1 and not elsewhere:
                (unit,) = ready
                after = yield self._unit(region, unit, frame.arm, frame.depth)
            elif frame is not region.root and frame.depth - region.base >= DEEPEST:
                frame.joins.update(ready)
                break
            else:
                after = yield self._dispatch(region, frame, list(ready), elsewhere)
        if frame is not region.root:
            assert region.root is not None, "a region has a root"
            region.root.joins.update(frame.joins)
        return after

    def _dispatch(
        self, region: _Region, frame: _Frame, ready: list[_Unit], elsewhere: Places
    ) -> Planning:
        arms: list[Arm] = []
        outcomes = len(ready) + bool(elsewhere)
        variable = self.graph.new(_selector_type(outcomes), "path")
        frame.start.variables.append(variable)
        for number, unit in enumerate(ready, 1):
            arms.append(inner := Arm())
            if number < outcomes:
                for jump in self._arrivals(unit):
                    jump.sets.append((variable, number))
            inner.after = yield self._unit(region, unit, inner, frame.depth + 1)
        if elsewhere:
            arms.append(Arm([], elsewhere))
        frame.arm.items.append(Dispatch(variable, arms, ready[0].blocks[0]))
        return _merged(arms)

    def _arrivals(self, unit: _Unit) -> list[Jump]:
        """The jumps into `unit` from elsewhere."""
        inside = set(unit.blocks) if unit.is_loop else ()
        return [
            jump
            for entry in unit.entries
            for jump in self.graph.arrivals[entry]
            if jump.source not in inside
        ]

    # Loops

    def _choose_entry(self, unit: _Unit, frame: _Frame) -> None:
        """Let the jumps into a loop say where its first iteration begins."""
        unit.entry = self.graph.new(_selector_type(len(unit.entries)), "entry")
        frame.start.variables.append(unit.entry)
        for number, entry in enumerate(sorted(unit.entries)):
            inside = set(unit.blocks)
            for jump in self.graph.arrivals[entry]:
                # Before the loop it is 0 already.
                if number or jump.source in inside:
                    jump.sets.append((unit.entry, number))

    def _loop(self, region: _Region, unit: _Unit, arm: Arm, depth: int) -> Planning:
        inside = set(unit.blocks)
        entries = sorted(unit.entries)
        leaving = [
            jump
            for block in unit.blocks
            for jump in self.graph.jumps[block]
            if jump.target not in inside
        ]
        if len(entries) > 1:
            self.irreducible.append(Irreducible(entries, frozenset(inside)))
        self._begun.update(entries)
        if (headed := self._headed(entries, leaving)) is not None:
            header, stay, out = headed
            rest = [block for block in unit.blocks if block != header]
            body = yield self.region(rest, [stay.target], depth + 1)
            back = [j for j in self.graph.arrivals[header] if j.source in inside]
            loop = HeadedLoop(header, stay, out, back, body)
        else:
            body = yield self.region(unit.blocks, entries, depth + 1, unit.entry)
            back = [
                jump
                for entry in entries
                for jump in self.graph.arrivals[entry]
                if jump.source in inside
            ]
            again = None
            if leaving:
                again = self.graph.new(i1, "again")
                start = body.items[0]
                assert isinstance(start, Start)
                start.variables.append(again)
                for jump in back:
                    jump.sets.append((again, 1))
            kept = self.graph.keep(entries, leaving)
            loop = Loop(entries, body, back, unit.entry, again, kept)
        self._begun.difference_update(entries)
        arm.items.append(loop)
        exits: Places = {}
        for jump in leaving:
            place = self._place(jump)
            exits[place] = None
            if (target := region.units.get(place)) is not None:
                target.open -= 1
        loop.exits = exits
        return exits

    def _headed(
        self, entries: Sequence[int], leaving: Sequence[Jump]
    ) -> tuple[int, Jump, Jump] | None:
        """The block in which a loop is entered and left, if that is one, and its jumps."""
        if len(entries) > 1 or len(leaving) != 1:
            return None
        (header,), (out,) = entries, leaving
        jumps = self.graph.jumps[header]
        if out.source != header or len(jumps) != 2:
            return None
        (stay,) = (jump for jump in jumps if jump is not out)
        return None if stay.target == header else (header, stay, out)


def _merged(arms: Sequence[Arm]) -> Places:
    return {place: None for arm in arms for place in arm.after}


def _selector_type(outcomes: int) -> Attribute:
    return i1 if outcomes <= 2 else IndexType()
