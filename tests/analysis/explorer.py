"""
Ground truth for control divergence: all runs of two lanes through a graph.

Lanes are scheduled greedily: a block runs only when no lane that still may come to it,
without taking a back edge of a loop around that block, is no longer looked at. Only one branch is
divergent; lanes that execute any other branch together take the same path.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

from spmd.analysis.graphs.cfg import Graph, back_edges
from spmd.analysis.graphs.split_graph import split_graph
from spmd.analysis.graphs.traversal import reachable

Counters = tuple[int, ...]
Lane = tuple[int | None, int | None, Counters]
"""The last block, the next one (`None`: has ended), iterations of every loop."""


def _paths_to(graph: Graph, target: int, back: set[tuple[int, int]]) -> set[int]:
    """The blocks from which `target` can be reached, as the schedule sees it."""

    def is_open(a: int, b: int) -> bool:
        return (a, b) not in back or target not in graph.loops[b].nodes

    found: set[int] = set()
    work = [p for p in graph.predecessors[target] if is_open(p, target)]
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work += [p for p in graph.predecessors[node] if is_open(p, node)]
    return found


def _at_the_entry(loops: int) -> tuple[Lane, Lane]:
    return (None, 0, (0,) * loops), (None, 0, (0,) * loops)


def explore(
    graph: Graph, branch: int, iterations: int = 3
) -> tuple[set[int], set[int]]:
    """The blocks in which two lanes meet from different paths, or different iterations."""
    back = set(back_edges(graph.successors, 0)[0])
    loops = sorted(graph.loops)
    paths = [_paths_to(graph, node, back) for node in range(len(graph.successors))]

    def moved(counters: Counters, source: int, target: int) -> Counters:
        changed = list(counters)
        for i, header in enumerate(loops):
            if target == header:
                again = (source, target) in back
                inside = source in graph.loops[header].nodes
                changed[i] = changed[i] + 1 if again else changed[i] if inside else 0
        return tuple(changed)

    both = _at_the_entry(len(loops))
    seen = {both}
    work = [both]
    sync: set[int] = set()
    temporal: set[int] = set()
    while work:
        state = work.pop()
        pending = [lane[1] for lane in state if lane[1] is not None]
        for block in set(pending):
            if any(other in paths[block] for other in pending):
                continue
            active = [lane[1] == block for lane in state]
            (from_a, _, a), (from_b, _, b) = state
            if all(active):
                if from_a != from_b:
                    sync.add(block)
                for i, header in enumerate(loops):
                    nodes = graph.loops[header].nodes
                    inside = from_a in nodes and from_b in nodes
                    if inside and block not in nodes and a[i] != b[i]:
                        temporal.add(block)
            nexts: Sequence[int | None] = graph.successors[block] or (None,)
            for chosen in product(*(nexts if one else (None,) for one in active)):
                if all(active) and block != branch and chosen[0] != chosen[1]:
                    continue
                new = tuple(
                    (block, to, lane[2] if to is None else moved(lane[2], block, to))
                    if one
                    else lane
                    for lane, one, to in zip(state, active, chosen, strict=True)
                )
                pair = (new[0], new[1])
                counted = max((*new[0][2], *new[1][2]), default=0)
                if counted <= iterations and pair not in seen:
                    seen.add(pair)
                    work.append(pair)
    return sync, temporal


def random_successors(generator: random.Random, size: int) -> list[list[int]]:
    """A reducible graph in which every block can be reached and reaches an end."""
    while True:
        successors: list[list[int]] = [[] for _ in range(size)]
        for node in range(1, size):
            successors[generator.randrange(node)].append(node)
        for _ in range(generator.randrange(size)):
            a, b = sorted(generator.sample(range(size), 2))
            if len(successors[a]) < 3:
                successors[a].append(b)
        forward = [sorted(set(nexts)) for nexts in successors]
        for _ in range(generator.randrange(4)):
            add_back_edge(generator, forward)
        if all(len(nexts) <= 3 for nexts in forward) and ends_everywhere(forward):
            return forward


def add_back_edge(generator: random.Random, successors: list[list[int]]) -> None:
    """An edge from a block to one that dominates it, if the graph stays reducible."""
    source = generator.randrange(1, len(successors))
    target = generator.randrange(source + 1)
    if target == 0 or target in successors[source]:
        return
    successors[source].append(target)
    if not back_edges(successors, 0)[1]:
        successors[source].pop()


def ends_everywhere(successors: list[list[int]]) -> bool:
    """Whether every block can be left for good."""
    ends = {node for node, nexts in enumerate(successors) if not nexts}
    return all(
        ends & reachable((node,), successors.__getitem__).keys()
        for node in range(len(successors))
    )


def random_graph(generator: random.Random, size: int) -> Graph:
    """A random graph in the form that the analysis needs."""
    split = split_graph(random_successors(generator, size))
    assert split is not None
    return split.graph
