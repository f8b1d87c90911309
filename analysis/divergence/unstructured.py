"""
Divergence of a region with many blocks: block arguments, values after loops, activation.

Blocks have no phi operations: what arrives in a block from several predecessors are its
arguments, and a value that is defined in a loop can be used anywhere after it. So two
questions are asked of an `UnstructuredRegion`:

* `joined(block)`: the operands of the branches to it, joined; varying if lanes meet
  there on different paths, unless all edges bring the same value;
* `is_left(defined, used)`: whether lanes may come from a definition to a use by a loop
  exit that they reach in different iterations.

The region also knows its *inactive* blocks: those that some lanes may not execute
together with the others, because where they go depends on a varying branch, or on a
uniform one in an inactive block.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.divergence.control_divergence import (
    DivergentBlocks,
    divergent_blocks,
)
from spmd.analysis.graphs.cfg import Graph
from spmd.analysis.graphs.split_graph import Edge, split_graph
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.shapes.shape import VARYING, Shape, join_all
from spmd.dialects.enclosing import block_of
from spmd.dialects.interfaces.control_flow import (
    Branch,
    Operand,
    forwarded,
    operands_of,
)

ThingT = TypeVar("ThingT")


@dataclass
class _Dimension:
    """What is divergent in one dimension so far."""

    sync: set[int] = field(default_factory=set[int])
    temporal: set[int] = field(default_factory=set[int])
    inactive: set[int] = field(default_factory=set[int])
    causes: dict[int, Operation] = field(default_factory=dict[int, Operation])
    branches: set[int] = field(default_factory=set[int])


@dataclass(frozen=True)
class Growth:
    """What has to be looked at again after one more branch turned out to be varying."""

    arguments: Sequence[Block] = ()
    """Blocks whose arguments may have changed."""

    left: Sequence[Block] = ()
    """Blocks in loops: what they define may look different after the loop."""

    activation: bool = False
    """Whether any block became inactive."""


class UnstructuredRegion:
    """The divergence of one region, in several dimensions; it grows during a fixpoint."""

    def __init__(self, region: Region, dimensions: int):
        self.region = region
        self.blocks = tuple(region.blocks)
        self._number = {block: i for i, block in enumerate(self.blocks)}
        self._end = len(self.blocks)
        successors: list[list[int]] = []
        self._forwarded: list[Sequence[Sequence[Operand]] | None] = []
        for block in self.blocks:
            end = block.last_op
            nexts = [] if end is None else [self._number[b] for b in end.successors]
            successors.append(nexts or [self._end])
            self._forwarded.append(_forwarded(end))
        successors.append([])
        self._arriving: dict[int, list[Edge]] = {}
        for source, nexts in enumerate(successors):
            for position, target in enumerate(nexts):
                self._arriving.setdefault(target, []).append((source, position))
        self._split = split_graph(successors)
        self._block_at: dict[int, Block] = {}
        self._dimensions = [_Dimension() for _ in range(dimensions)]
        self._effects: dict[int, DivergentBlocks] = {}
        self._reached: dict[tuple[int, int], dict[int, None]] = {}
        self._ahead: dict[int, dict[int, None]] = {}
        if self._split is not None:
            for original, node in self._split.node.items():
                if original != self._end:
                    self._block_at[node] = self.blocks[original]

    # Growing

    def diverge(self, block: Block, dimension: int) -> Growth:
        """Note that the branch at the end of `block` is varying."""
        state = self._dimensions[dimension]
        number = self._number[block]
        if number in state.branches:
            return Growth()
        state.branches.add(number)
        if self._split is None:
            if len(state.branches) > 1:
                return Growth()
            return Growth(self.blocks, self.blocks, True)
        end = block.last_op
        node = self._split.node.get(number)
        if node is None or end is None:
            return Growth()
        graph = self._split.graph
        if node not in self._effects:
            self._effects[node] = divergent_blocks(graph, node)
        effects = self._effects[node]
        sync = [n for n in effects.sync if n not in state.sync]
        temporal = [n for n in effects.temporal if n not in state.temporal]
        for place in (*sync, *temporal):
            state.causes.setdefault(place, end)
        state.sync.update(sync)
        state.temporal.update(temporal)
        inactive = self._spread_inactivity(state, node, end)
        return Growth(
            list(dict.fromkeys(self._blocks_after((*sync, *temporal)))),
            list(dict.fromkeys(self._blocks_left(temporal))),
            inactive,
        )

    def _spread_inactivity(self, state: _Dimension, node: int, end: Operation) -> bool:
        assert self._split is not None
        controlled = self._split.graph.controlled
        new = reachable(
            (n for n in controlled[node] if n not in state.inactive),
            lambda node: (n for n in controlled[node] if n not in state.inactive),
        )
        state.inactive.update(new)
        for inactive in new:
            state.causes.setdefault(inactive, end)
        return bool(new)

    def _blocks_after(self, nodes: Sequence[int]) -> Iterator[Block]:
        """The blocks at some nodes; of a split edge the block it leads to."""
        assert self._split is not None
        end = self._split.node.get(self._end)
        for node in nodes:
            while node not in self._block_at and node != end:
                (node,) = self._split.graph.successors[node]
            if node != end:
                yield self._block_at[node]

    def _blocks_left(self, exits: Sequence[int]) -> Iterator[Block]:
        """The blocks of the loops that some exits leave."""
        assert self._split is not None
        graph = self._split.graph
        for leaving in exits:
            (before,) = graph.predecessors[leaving]
            for header in _loops_left(graph, before, leaving):
                for node in graph.loops[header].nodes:
                    if node in self._block_at:
                        yield self._block_at[node]

    # Asking

    def __contains__(self, block: Block) -> bool:
        return block in self._number

    def has_temporal_divergence(self) -> bool:
        """Whether any value may look different after a loop than in it."""
        return any(
            state.temporal or (self._split is None and state.branches)
            for state in self._dimensions
        )

    def seen(
        self, shapes: tuple[Shape, ...], defined: Block, user: Operation
    ) -> tuple[Shape, ...]:
        """What has `shapes` in the block that defines it, where `user` sees it."""
        if not self.has_temporal_divergence():
            return shapes
        used = self._block_around(user)
        if used is None:
            return shapes
        return tuple(
            shape.diverged() if self.is_left(defined, used, dimension) else shape
            for dimension, shape in enumerate(shapes)
        )

    def _block_around(self, op: Operation) -> Block | None:
        """The block of the region in which `op` stands, however deep."""
        block = op.parent
        while block is not None and block not in self:
            parent = block.parent_op()
            block = None if parent is None else parent.parent
        return block

    def is_inactive(self, block: Block, dimension: int) -> bool:
        """Whether some lanes may be elsewhere while others execute `block`."""
        state = self._dimensions[dimension]
        if self._split is None:
            return bool(state.branches) and block is not self.blocks[0]
        return self._split.node.get(self._number[block], -1) in state.inactive

    def is_in_loop(self, block: Block) -> bool:
        """Whether a block may run more than once."""
        if self._split is None:
            return True
        node = self._split.node.get(self._number[block])
        return node is not None and self._split.graph.innermost[node] is not None

    def cause(self, block: Block, dimension: int) -> Operation | None:
        """The first varying branch found that makes a block's arguments varying."""
        if self._split is None:
            return None
        state = self._dimensions[dimension]
        number = self._number[block]
        nodes = [self._split.node.get(number, -1)]
        for edge in self._arriving.get(number, ()):
            nodes.extend(self._split.path.get(edge, ()))
        places = state.sync | state.temporal
        return next((state.causes[n] for n in nodes if n in places), None)

    def arriving(self, block: Block, position: int) -> Iterator[Operand]:
        """What the branches to a block bring for one argument."""
        for edge in self._arriving.get(self._number[block], ()):
            operand = self._brought(edge, position)
            if operand is not None:
                yield operand

    def is_left(self, defined: Block, used: Block, dimension: int) -> bool:
        """Whether lanes may reach a use in other iterations than each other."""
        state = self._dimensions[dimension]
        if self._split is None:
            return bool(state.branches) and defined is not used
        if not state.temporal:
            return False
        node = self._split.node.get(self._number[defined])
        goal = self._split.node.get(self._number[used])
        if node is None:
            return False
        graph = self._split.graph
        for header in _loops_left(graph, node, goal):
            for leaving in graph.exits[header]:
                if leaving in state.temporal and goal in self._after(leaving, node):
                    return True
        return False

    def _after(self, start: int, avoided: int) -> Container[int | None]:
        """The nodes that can be reached from `start` without passing `avoided`."""
        key = (start, avoided)
        if key not in self._reached:
            assert self._split is not None
            successors = self._split.graph.successors
            self._reached[key] = reachable(
                (start,), lambda node: (n for n in successors[node] if n != avoided)
            )
        return self._reached[key]

    # Phis

    def joined(
        self,
        block: Block | None,
        count: int,
        dimension: int,
        seen: Callable[[SSAValue, Operation], Shape],
    ) -> list[Shape]:
        """The shapes of the arguments of a block, or (`None`) of what the region yields."""

        def phi(position: int) -> Shape:
            def brings(edge: Edge) -> SSAValue | None:
                operand = self._brought(edge, position)
                return None if operand is None else operand.value

            return self.phi(block, brings, dimension, seen, block_of)

        return [phi(position) for position in range(count)]

    def _brought(self, edge: Edge, position: int) -> Operand | None:
        groups = self._forwarded[edge[0]]
        if groups is None or position >= len(groups[edge[1]]):
            return None
        return groups[edge[1]][position]

    def phi(
        self,
        block: Block | None,
        brings: Callable[[Edge], ThingT | None],
        dimension: int,
        seen: Callable[[ThingT, Operation], Shape],
        home: Callable[[ThingT], Block | None],
    ) -> Shape:
        """
        The shape of what comes out where the edges to a block (`None`: to the end of the
        region) bring one thing each: values, or states of memory.
        """
        target = self._end if block is None else self._number[block]
        state = self._dimensions[dimension]
        split = self._split
        arriving: dict[int, list[tuple[object, Shape]]] = {}
        for edge in self._arriving.get(target, ()):
            end = self.blocks[edge[0]].last_op
            if end is None or (split is not None and edge[0] not in split.node):
                continue  # from a block that never runs
            thing = brings(edge)
            if thing is None:
                return VARYING
            shape = seen(thing, end)
            if self._leaves_with(edge, target, home(thing), dimension):
                shape = shape.diverged()
            path = () if split is None else split.path.get(edge, ())
            # Edges of which several run through one new node meet in that one first.
            key = path[-1] if path else -1 - len(arriving)
            arriving.setdefault(key, []).append((thing, shape))
        groups = [_merge(v, node in state.sync) for node, v in arriving.items()]
        if split is None:
            return _merge(groups, bool(state.branches))[1]
        return _merge(groups, split.node.get(target) in state.sync)[1]

    def _leaves_with(
        self, edge: Edge, target: int, home: Block | None, dimension: int
    ) -> bool:
        """Whether an edge takes a value out of a loop at different times."""
        split = self._split
        number = None if home is None else self._number.get(home)
        if split is None:
            # Which loops there are is not known, so lanes may have left any of them.
            branches = self._dimensions[dimension].branches
            return bool(branches) and number is not None
        if number is None or number not in split.node:
            return False
        goal = split.node[target]
        leaving = (*split.path.get(edge, ()), goal)[0]
        if leaving not in self._dimensions[dimension].temporal:
            return False
        return any(_loops_left(split.graph, split.node[number], goal))

    def never_meet(self, one: Block, other: Block) -> bool:
        """Whether no path leads from one block to the other, but for another iteration."""
        if self._split is None:
            return True
        a = self._split.node.get(self._number[one])
        b = self._split.node.get(self._number[other])
        if a is None or b is None:
            return False
        return not (self._leads(a, b) or self._leads(b, a))

    def _leads(self, start: int, goal: int) -> bool:
        """Whether `goal` can be reached from `start` without going back."""
        if start not in self._ahead:
            assert self._split is not None
            successors = self._split.graph.successors
            self._ahead[start] = reachable(
                (start,), lambda node: (n for n in successors[node] if n > node)
            )
        return goal in self._ahead[start]


def _forwarded(end: Operation | None) -> Sequence[Sequence[Operand]] | None:
    """What the end of a block forwards; `None` if it is not known what goes where."""
    if end is None or not end.successors:
        return (() if end is None else operands_of(end),)
    return None if Branch.of(end) is None else forwarded(end)


def _loops_left(graph: Graph, source: int, target: int | None) -> Iterator[int]:
    """The headers of the loops around `source` that are not around `target`."""
    header = graph.innermost[source]
    while header is not None and target not in graph.loops[header].nodes:
        yield header
        header = graph.loops[header].parent


def _merge(
    arriving: Sequence[tuple[object, Shape]], diverges: bool
) -> tuple[object, Shape]:
    """What comes out where values meet, with something that identifies it."""
    if not arriving:
        return None, join_all(())
    first = arriving[0][0]
    if all(value is first for value, _ in arriving):
        return first, join_all(shape for _, shape in arriving)
    shape = join_all(s.diverged() if diverges else s for _, s in arriving)
    return object(), shape
