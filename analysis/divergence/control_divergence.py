"""
Where lanes that diverge at one branch make values differ, in unstructured control flow.

A branch D on a varying condition has two effects on values after it, which do not depend
on its operands:

* a *divergent join*: lanes meet again in a block that they reach on different paths; what
  the block gets from its predecessors is varying;
* *temporal divergence*: lanes leave a loop in different iterations; what was computed in
  the loop is varying after that exit, although in each iteration it may be uniform.

Two paths from D to z that share no node but D and z exist iff the labels that flow from
D's successors meet in z for the first time. That takes one pass over the nodes after D,
in block index order. If lanes leave the loop around D at different times, the loop acts
as one node that branches to its exits, of which those are divergent that do not carry the
same label as the latch, and the pass goes on after the loop; lanes that leave by one of
the other exits all do so together.

```mlir
  cf.cond_br %varying, ^b, ^c      // D
^b:                                // label b
  cf.br ^join(%one)
^c:                                // label c
  cf.br ^join(%two)
^join(%x: i32):                    // b meets c: %x is varying
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spmd.analysis.graphs.cfg import Graph

UNIFORM_EDGE = -1
"""The label of successors that no two lanes diverge for."""


@dataclass(frozen=True)
class DivergentBlocks:
    """The nodes in which a branch makes values differ."""

    sync: tuple[int, ...]
    """Lanes meet here on different paths."""

    temporal: tuple[int, ...]
    """Loop exits that lanes reach in different iterations."""


def divergent_blocks(graph: Graph, branch: int) -> DivergentBlocks:
    """The effect of a varying branch at the end of a node."""
    divergent: Sequence[int] = graph.successors[branch]
    uniform: Sequence[int] = ()
    around = graph.innermost[branch]
    start = branch
    sync: dict[int, None] = {}
    temporal: dict[int, None] = {}
    while True:
        joins, exits, left = _local_joins(graph, divergent, uniform, around, start)
        sync.update(dict.fromkeys(joins))
        temporal.update(dict.fromkeys(exits))
        if left is None:
            return DivergentBlocks(tuple(sync), tuple(temporal))
        divergent = [e for e in graph.exits[left] if e in temporal]
        uniform = [e for e in graph.exits[left] if e not in temporal]
        around = graph.loops[left].parent
        start = graph.last[left]


def _local_joins(
    graph: Graph,
    divergent: Sequence[int],
    uniform: Sequence[int],
    around: int | None,
    start: int,
) -> tuple[list[int], list[int], int | None]:
    """
    One iteration: joins inside of the loop `around`, its divergent exits, and the outermost
    loop that has to be looked at from outside because of them.

    The node that branches, or the loop that acts as one, ends at block index `start`.
    """
    labels: dict[int, int] = {}
    joins: dict[int, None] = {}
    reached: list[int] = []
    inside = None if around is None else graph.loops[around].nodes

    def push(node: int, label: int) -> None:
        old = labels.get(node)
        if old is None:
            labels[node] = label
            if inside is not None and node not in inside:
                reached.append(node)
        elif old != label:
            joins[node] = None
            labels[node] = node

    for node in divergent:
        push(node, node)
    for node in uniform:
        push(node, UNIFORM_EDGE)
    end = len(graph.successors) if around is None else graph.last[around] + 1
    for node in range(start + 1, end):
        label = labels.get(node)
        if label is not None and (inside is None or node in inside):
            for successor in graph.successors[node]:
                push(successor, label)
    if around is None:
        return list(joins), [], None
    stays = labels.get(around)
    exits = [node for node in reached if labels[node] != stays]
    return list(joins), exits, _outermost_left(graph, around, exits)


def _outermost_left(graph: Graph, around: int, exits: Sequence[int]) -> int | None:
    """The innermost of the loops that are the outermost ones that each exit leaves."""
    chain: list[int] = []
    header: int | None = around
    while header is not None:
        chain.append(header)
        header = graph.loops[header].parent
    chain.reverse()
    position = -1
    for node in exits:
        while position < 0 or node in graph.loops[chain[position]].nodes:
            position += 1
    return None if position < 0 else chain[position]
