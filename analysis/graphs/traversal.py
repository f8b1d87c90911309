"""
What nodes lead to, in which order, and which lie on common cycles.

A graph is a function from a node to those that its edges lead to: `edges.__getitem__` for
nodes with numbers, `successors_of` for blocks, the operands of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import TypeVar

from xdsl.ir import Block

NodeT = TypeVar("NodeT", bound=Hashable)


def successors_of(block: Block) -> Sequence[Block]:
    """The blocks that the terminator of `block`, if it has one, can branch to."""
    end = block.last_op
    return () if end is None else end.successors


def predecessors(
    nodes: Collection[NodeT], edges: Callable[[NodeT], Iterable[NodeT]]
) -> dict[NodeT, list[NodeT]]:
    """Those of `nodes` with an edge to each of them, in their order."""
    found: dict[NodeT, list[NodeT]] = {node: [] for node in nodes}
    for node in nodes:
        for target in edges(node):
            found[target].append(node)
    return found


def reachable(
    starts: Iterable[NodeT], edges: Callable[[NodeT], Iterable[NodeT]]
) -> dict[NodeT, None]:
    """The starts and all that they lead to, in the order in which they are found."""
    found: dict[NodeT, None] = {}
    worklist = list(starts)
    while worklist:
        node = worklist.pop()
        if node not in found:
            found[node] = None
            worklist.extend(edges(node))
    return found


def post_order(
    starts: Iterable[NodeT], edges: Callable[[NodeT], Iterable[NodeT]]
) -> dict[NodeT, None]:
    """What the starts lead to, each after all that it leads to but for cycles."""
    order: dict[NodeT, None] = {}
    seen: set[NodeT] = set()
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        path = [(start, iter(edges(start)))]
        while path:
            node, rest = path[-1]
            for successor in rest:
                if successor not in seen:
                    seen.add(successor)
                    path.append((successor, iter(edges(successor))))
                    break
            else:
                order[node] = None
                path.pop()
    return order


def reverse_post_order(
    entry: NodeT, edges: Callable[[NodeT], Iterable[NodeT]]
) -> list[NodeT]:
    """What the entry leads to, each before its successors but for cycles."""
    return list(post_order((entry,), edges))[::-1]


def strongly_connected(
    nodes: Iterable[NodeT], edges: Callable[[NodeT], Iterable[NodeT]]
) -> list[list[NodeT]]:
    """
    The sets of nodes that lie on common cycles, each before those it leads to.

    A node on no cycle is a set of its own. This is Tarjan's algorithm ("Depth-first search
    and linear graph algorithms", 1972) without recursion.
    """
    low: dict[NodeT, int] = {}
    index: dict[NodeT, int] = {}
    on_path: set[NodeT] = set()
    path: list[NodeT] = []
    result: list[list[NodeT]] = []

    def visit(node: NodeT) -> None:
        index[node] = low[node] = len(index)
        path.append(node)
        on_path.add(node)
        worklist.append((node, iter(edges(node))))

    for root in nodes:
        worklist: list[tuple[NodeT, Iterable[NodeT]]] = []
        if root not in index:
            visit(root)
        while worklist:
            node, rest = worklist[-1]
            for successor in rest:
                if successor not in index:
                    visit(successor)
                    break
                if successor in on_path:
                    low[node] = min(low[node], index[successor])
            else:
                worklist.pop()
                if worklist:
                    parent = worklist[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component: list[NodeT] = []
                    while not component or component[-1] != node:
                        component.append(path.pop())
                        on_path.discard(component[-1])
                    result.append(component)
    return result[::-1]
