"""Which nodes are on all paths from the entry to a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from spmd.analysis.graphs.traversal import NodeT, reverse_post_order


def immediate_dominators(
    entry: NodeT, edges: Callable[[NodeT], Iterable[NodeT]]
) -> dict[NodeT, NodeT]:
    """
    The last node that all paths to a node have in common; the entry is its own.

    The nodes stand in reverse post-order; those that cannot be reached have none. The
    algorithm is that of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm",
    2001), on the numbers of the nodes in that order.
    """
    order = reverse_post_order(entry, edges)
    position = {node: i for i, node in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for i, node in enumerate(order):
        for successor in edges(node):
            predecessors[position[successor]].append(i)
    dominator = [0] + [-1] * (len(order) - 1)

    def common(a: int, b: int) -> int:
        while a != b:
            if a < b:
                a, b = b, a
            a = dominator[a]
        return a

    changed = True
    while changed:
        changed = False
        for i in range(1, len(order)):
            new = reduce(common, (p for p in predecessors[i] if dominator[p] >= 0))
            if dominator[i] != new:
                dominator[i] = new
                changed = True
    return {node: order[dominator[i]] for i, node in enumerate(order)}


def dominates(dominator: Mapping[NodeT, NodeT], a: NodeT, b: NodeT) -> bool:
    """Whether `a` is on every path to `b`."""
    while b != a:
        if dominator[b] == b:
            return False
        b = dominator[b]
    return True


def dominators_without_cycles(before: Sequence[Sequence[int]]) -> list[int]:
    """
    The immediate dominators of nodes that stand after all their predecessors.

    Node 0 is the entry. A node knows one far dominator as well as its immediate one, so
    that a common dominator is found in logarithmic time (Myers, "An applicative
    random-access stack", 1983: jump pointers).
    """
    dominator, far, depth = [0], [0], [0]

    def common(a: int, b: int) -> int:
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            a = far[a] if depth[far[a]] >= depth[b] else dominator[a]
        while a != b:
            if far[a] != far[b]:
                a, b = far[a], far[b]
            else:
                a, b = dominator[a], dominator[b]
        return a

    for predecessors in before[1:]:
        above = reduce(common, predecessors)
        dominator.append(above)
        depth.append(depth[above] + 1)
        beyond = far[above]
        even = depth[above] - depth[beyond] == depth[beyond] - depth[far[beyond]]
        far.append(far[beyond] if even else above)
    return dominator
