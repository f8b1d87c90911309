"""
From any control flow graph to a `Graph`, by splitting edges.

`SplitGraph` remembers what became of nodes and edges: every node of the original that can
be reached is a node of the graph, and so are new nodes on some edges. A new node stands
for a block that only branches on, where values of different predecessors meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spmd.analysis.graphs.cfg import (
    Graph,
    Loop,
    back_edges,
    block_index,
    natural_loops,
)
from spmd.analysis.graphs.traversal import reverse_post_order

Edge = tuple[int, int]
"""An edge by its source and its position among the successors of that."""


@dataclass(frozen=True)
class SplitGraph:
    """A graph with the places of the original nodes and edges in it."""

    graph: Graph
    node: dict[int, int]
    """Original node -> node; without those that cannot be reached."""

    path: dict[Edge, tuple[int, ...]]
    """The new nodes that an edge of the original now runs through, in order."""


class _Splitter:
    def __init__(self, successors: Sequence[Sequence[int]]):
        self.original = successors
        self.targets = [list(nexts) for nexts in successors]
        self.reachable = reverse_post_order(0, successors.__getitem__)
        self.path: dict[Edge, list[int]] = {}

    def new_node(self, target: int) -> int:
        self.targets.append([target])
        return len(self.targets) - 1

    def put(self, edges: Sequence[Edge], target: int) -> None:
        """One new node on some edges to their common target."""
        node = self.new_node(target)
        for edge in edges:
            steps = self.path.setdefault(edge, [])
            source, position = edge
            if steps:
                self.targets[steps[-1]] = [node]
            else:
                self.targets[source][position] = node
            steps.append(node)

    def split(self, back: Sequence[tuple[int, int]], loops: dict[int, Loop]) -> None:
        arriving: dict[int, list[Edge]] = {}
        for source in self.reachable:
            for position, target in enumerate(self.original[source]):
                arriving.setdefault(target, []).append((source, position))
        is_back = set(back)
        for target, edges in arriving.items():
            for edge in edges:
                source = edge[0]
                leaves = any(
                    source in loop.nodes and target not in loop.nodes
                    for loop in loops.values()
                )
                alone = len(edges) == 1
                twin = any(other[0] == source and other != edge for other in edges)
                if twin or (leaves and not alone):
                    self.put([edge], target)
            if target in loops:
                latches = [e for e in edges if (e[0], target) in is_back]
                entries = [e for e in edges if (e[0], target) not in is_back]
                for group in (entries, latches):
                    if len(group) > 1:
                        self.put(group, target)


def split_graph(successors: Sequence[Sequence[int]]) -> SplitGraph | None:
    """Split the edges of a graph with entry 0; `None` if it is not reducible."""
    back, reducible = back_edges(successors, 0)
    if not reducible:
        return None
    splitter = _Splitter(successors)
    splitter.split(back, natural_loops(successors, back))
    targets = splitter.targets
    new_back, _ = back_edges(targets, 0)
    loops = natural_loops(targets, new_back)
    order = block_index(targets, 0, loops)
    number = {node: i for i, node in enumerate(order)}
    graph = Graph(
        tuple(tuple(number[target] for target in targets[node]) for node in order),
        {
            number[loop.header]: Loop(
                number[loop.header],
                frozenset(number[node] for node in loop.nodes if node in number),
                None if loop.parent is None else number[loop.parent],
            )
            for loop in loops.values()
        },
    )
    return SplitGraph(
        graph,
        {node: number[node] for node in splitter.reachable},
        {
            edge: tuple(number[node] for node in steps)
            for edge, steps in splitter.path.items()
        },
    )
