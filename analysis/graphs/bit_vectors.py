"""
Sets of numbers as integers, and data flow problems on them.

A problem is solved against the edges, as liveness is; with the predecessors of a node for
its successors, one along them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple

from spmd.analysis.graphs.traversal import NodeT, predecessors


def bits_of(found: Iterable[int]) -> int:
    """The set of some numbers."""
    bits = 0
    for number in found:
        bits |= 1 << number
    return bits


def numbers(bits: int) -> Iterator[int]:
    """The elements of a set, from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class Flow(NamedTuple, Generic[NodeT]):
    """The solution of a problem: a set before and after each node."""

    before: dict[NodeT, int]
    after: dict[NodeT, int]


def solve_backward(
    nodes: Iterable[NodeT],
    successors: Callable[[NodeT], Iterable[NodeT]],
    transfer: Callable[[NodeT, int], int],
) -> Flow[NodeT]:
    """
    The least sets with `before = transfer(node, after)`, `after` the union of all
    `before` of the successors.

    It ends if `transfer` is monotone, soonest if the nodes are in the order of control
    flow (the worklist algorithm: Kildall, "A Unified Approach to Global Program
    Optimization", 1973).
    """
    nexts = {node: tuple(successors(node)) for node in nodes}
    before_each = predecessors(nexts, nexts.__getitem__)
    flow = Flow(dict.fromkeys(nexts, 0), dict.fromkeys(nexts, 0))
    worklist = deque(reversed(nexts))
    waiting = set(worklist)
    while worklist:
        node = worklist.popleft()
        waiting.discard(node)
        after = 0
        for target in nexts[node]:
            after |= flow.before[target]
        flow.after[node] = after
        before = transfer(node, after)
        if before != flow.before[node]:
            flow.before[node] = before
            for predecessor in before_each[node]:
                if predecessor not in waiting:
                    waiting.add(predecessor)
                    worklist.append(predecessor)
    return flow
