"""
Control flow graphs of numbered nodes: dominance, loops, and an order of the nodes.

`Graph` is what a region of blocks looks like to the algorithms on control flow: nodes are
integers, node 0 is the entry, and nodes that cannot be reached are left out. It is in the
form that they need, made by splitting edges:

* a loop has one header, one latch and one edge into it from outside;
* an edge that leaves a loop ends in a node of its own (an *exit*);
* there is at most one edge from one node to another.

The nodes are numbered by *block index*: in topological order if edges back to headers are
ignored, every loop without gaps, and inside of one loop level everything that a node
dominates without gaps. `analysis/graphs/split_graph.py` splits the edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spmd.analysis.graphs.dominators import dominates, immediate_dominators
from spmd.analysis.graphs.traversal import (
    predecessors,
    reachable,
    reverse_post_order,
)
from spmd.dialects.interfaces.cached import cached_property


@dataclass(frozen=True)
class Loop:
    """A natural loop."""

    header: int
    nodes: frozenset[int]
    parent: int | None
    """The header of the loop around it."""


def back_edges(
    successors: Sequence[Sequence[int]], entry: int
) -> tuple[list[tuple[int, int]], bool]:
    """The edges to a node that dominates their source, and whether they cut all cycles."""
    dominator = immediate_dominators(entry, successors.__getitem__)
    order = tuple(dominator)
    position = {node: i for i, node in enumerate(order)}
    back: list[tuple[int, int]] = []
    reducible = True
    for node in order:
        for successor in successors[node]:
            if position[successor] <= position[node]:
                if dominates(dominator, successor, node):
                    back.append((node, successor))
                else:
                    reducible = False
    return back, reducible


def natural_loops(
    successors: Sequence[Sequence[int]], back: Sequence[tuple[int, int]]
) -> dict[int, Loop]:
    """The loops by their header, merged if they share it."""
    before = predecessors(range(len(successors)), successors.__getitem__)
    latches: dict[int, list[int]] = {}
    for latch, header in back:
        latches.setdefault(header, []).append(latch)
    nodes = {
        header: {
            header,
            *reachable(ends, lambda n: () if n == header else before[n]),
        }
        for header, ends in latches.items()
    }
    by_size = sorted(nodes, key=lambda header: len(nodes[header]))
    loops: dict[int, Loop] = {}
    for i, header in enumerate(by_size):
        around = (h for h in by_size[i + 1 :] if header in nodes[h])
        loops[header] = Loop(header, frozenset(nodes[header]), next(around, None))
    return loops


@dataclass(frozen=True)
class Graph:
    """A reducible graph whose nodes are numbered by block index; see the module."""

    successors: tuple[tuple[int, ...], ...]
    loops: dict[int, Loop]

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """The nodes with an edge to each node."""
        nodes = range(len(self.successors))
        found = predecessors(nodes, self.successors.__getitem__)
        return tuple(map(tuple, found.values()))

    @cached_property
    def innermost(self) -> tuple[int | None, ...]:
        """The header of the innermost loop around each node."""
        result: list[int | None] = [None] * len(self.successors)
        for loop in sorted(self.loops.values(), key=lambda one: -len(one.nodes)):
            for node in loop.nodes:
                result[node] = loop.header
        return tuple(result)

    @cached_property
    def exits(self) -> dict[int, tuple[int, ...]]:
        """For every loop the nodes right after it."""
        return {
            header: tuple(
                dict.fromkeys(
                    successor
                    for node in sorted(loop.nodes)
                    for successor in self.successors[node]
                    if successor not in loop.nodes
                )
            )
            for header, loop in self.loops.items()
        }

    @cached_property
    def last(self) -> dict[int, int]:
        """For every loop its last node, the latch."""
        return {header: max(loop.nodes) for header, loop in self.loops.items()}

    @cached_property
    def dominator(self) -> dict[int, int]:
        """The immediate dominator of each node."""
        return immediate_dominators(0, self.successors.__getitem__)

    @cached_property
    def controlled(self) -> tuple[tuple[int, ...], ...]:
        """For every node those that run or not depending on where it branches."""
        end = len(self.successors)
        forward = [*(nexts or (end,) for nexts in self.successors), ()]
        backward = predecessors(range(end + 1), forward.__getitem__)
        # A loop without exit ends somewhere too, or nothing would post-dominate it.
        while missing := sorted(
            set(range(end)) - reachable((end,), backward.__getitem__).keys()
        ):
            backward[end].append(missing[-1])
        post = immediate_dominators(end, backward.__getitem__)
        result: list[dict[int, None]] = [{} for _ in range(end)]
        for node, nexts in enumerate(self.successors):
            for successor in nexts if len(nexts) > 1 else ():
                runner = successor
                while runner not in (post[node], end):
                    result[node][runner] = None
                    runner = post[runner]
        return tuple(tuple(nodes) for nodes in result)


def block_index(
    successors: Sequence[Sequence[int]], entry: int, loops: dict[int, Loop]
) -> list[int]:
    """The nodes in the order described at the top of the module."""
    innermost: dict[int, int] = {}
    for loop in sorted(loops.values(), key=lambda one: -len(one.nodes)):
        for node in loop.nodes:
            innermost[node] = loop.header
    order: list[int] = []
    all_nodes = reverse_post_order(entry, successors.__getitem__)
    # What is still to be emitted: a single node, or a loop with all that is inside.
    work: list[tuple[int, bool]] = [
        *reversed(_level(successors, entry, None, all_nodes, innermost, loops))
    ]
    while work:
        unit, is_loop = work.pop()
        if is_loop:
            nodes = [n for n in all_nodes if n in loops[unit].nodes]
            inside = _level(successors, unit, unit, nodes, innermost, loops)
            work.extend(reversed(inside))
        else:
            order.append(unit)
    return order


def _level(
    successors: Sequence[Sequence[int]],
    root: int,
    around: int | None,
    nodes: Sequence[int],
    innermost: dict[int, int],
    loops: dict[int, Loop],
) -> list[tuple[int, bool]]:
    """The nodes and loops directly inside of a loop, in order."""

    def unit_of(node: int) -> int:
        header = innermost.get(node)
        unit = node
        while header is not None and header != around:
            unit, header = header, loops[header].parent
        return unit

    inside = set(nodes)
    units = {node: unit_of(node) for node in nodes}
    numbers = {unit: i for i, unit in enumerate(dict.fromkeys(units.values()))}
    names = list(numbers)
    edges: list[list[int]] = [[] for _ in names]
    for node in nodes:
        for successor in successors[node]:
            if successor in inside and successor != around:
                a, b = numbers[units[node]], numbers[units[successor]]
                if a != b and b not in edges[a]:
                    edges[a].append(b)
    start = numbers[units[root]]
    dominator = immediate_dominators(start, edges.__getitem__)
    children: dict[int, list[int]] = {unit: [] for unit in dominator}
    for unit in reversed(dominator):
        if unit != start:
            children[dominator[unit]].append(unit)
    inner = (names[unit] for unit in reachable((start,), children.__getitem__))
    return [(name, name in loops and name != around) for name in inner]
