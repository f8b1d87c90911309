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
from functools import cached_property, reduce


def reverse_post_order(successors: Sequence[Sequence[int]], entry: int) -> list[int]:
    """The nodes that can be reached, each before its successors but for cycles."""
    order: list[int] = []
    seen = {entry}
    stack = [(entry, iter(successors[entry]))]
    while stack:
        node, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(successors[successor])))
                break
        else:
            order.append(node)
            stack.pop()
    return order[::-1]


def immediate_dominators(
    successors: Sequence[Sequence[int]], entry: int
) -> dict[int, int]:
    """The last node that all ways to a node have in common; the entry is its own."""
    order = reverse_post_order(successors, entry)
    position = {node: i for i, node in enumerate(order)}
    predecessors: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for successor in successors[node]:
            predecessors[successor].append(node)
    dominator = {entry: entry}
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            new = -1
            for before in predecessors[node]:
                if before in dominator:
                    new = (
                        before if new < 0 else _common(dominator, position, before, new)
                    )
            if dominator.get(node) != new:
                dominator[node] = new
                changed = True
    return dominator


def _common(dominator: dict[int, int], position: dict[int, int], a: int, b: int) -> int:
    while a != b:
        if position[a] < position[b]:
            a, b = b, a
        a = dominator[a]
    return a


def dominators_without_cycles(before: Sequence[Sequence[int]]) -> list[int]:
    """
    The immediate dominators of nodes that stand behind all their predecessors.

    Node 0 is the entry. A node knows one far dominator as well as its immediate one, so
    that a common dominator is found in logarithmic time (Myers' jump pointers).
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


def strongly_connected(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """
    The sets of nodes that lie on common cycles, each before those it leads to.

    A node on no cycle is a set of its own (Tarjan, without recursion).
    """
    low: dict[int, int] = {}
    index: dict[int, int] = {}
    on_path: set[int] = set()
    path: list[int] = []
    result: list[list[int]] = []
    for root in range(len(edges)):
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        while work:
            node, rest = work[-1]
            for after in rest:
                if after not in index:
                    index[after] = low[after] = len(index)
                    path.append(after)
                    on_path.add(after)
                    work.append((after, iter(edges[after])))
                    break
                if after in on_path:
                    low[node] = min(low[node], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(path.pop())
                        on_path.discard(component[-1])
                    result.append(component)
    return result[::-1]


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
    order = reverse_post_order(successors, entry)
    position = {node: i for i, node in enumerate(order)}
    dominator = immediate_dominators(successors, entry)
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


def dominates(dominator: dict[int, int], a: int, b: int) -> bool:
    """Whether `a` is on every way to `b`."""
    while b != a:
        if dominator[b] == b:
            return False
        b = dominator[b]
    return True


def natural_loops(
    successors: Sequence[Sequence[int]], back: Sequence[tuple[int, int]]
) -> dict[int, Loop]:
    """The loops by their header, merged if they share it."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, nexts in enumerate(successors):
        for successor in nexts:
            predecessors[successor].append(node)
    nodes: dict[int, set[int]] = {}
    for latch, header in back:
        body = nodes.setdefault(header, {header})
        stack = [latch]
        while stack:
            node = stack.pop()
            if node not in body:
                body.add(node)
                stack.extend(predecessors[node])
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
        result: list[list[int]] = [[] for _ in self.successors]
        for node, nexts in enumerate(self.successors):
            for successor in nexts:
                result[successor].append(node)
        return tuple(map(tuple, result))

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
        """For every loop the nodes right behind it."""
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
        return immediate_dominators(self.successors, 0)

    @cached_property
    def controlled(self) -> tuple[tuple[int, ...], ...]:
        """For every node those that run or not depending on where it branches."""
        end = len(self.successors)
        backward: list[list[int]] = [[] for _ in range(end + 1)]
        for node, nexts in enumerate(self.successors):
            for successor in nexts:
                backward[successor].append(node)
            if not nexts:
                backward[end].append(node)
        # A loop without exit ends somewhere too, or nothing would post-dominate it.
        while missing := sorted(
            set(range(end)) - set(reverse_post_order(backward, end))
        ):
            backward[end].append(missing[-1])
        post = immediate_dominators(backward, end)
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
    reachable = reverse_post_order(successors, entry)
    # What is still to be emitted: a single node, or a loop with all that is inside.
    work: list[tuple[int, bool]] = [
        *reversed(_level(successors, entry, None, reachable, innermost, loops))
    ]
    while work:
        unit, is_loop = work.pop()
        if is_loop:
            nodes = [n for n in reachable if n in loops[unit].nodes]
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
    order = reverse_post_order(edges, start)
    dominator = immediate_dominators(edges, start)
    position = {unit: i for i, unit in enumerate(order)}
    children: dict[int, list[int]] = {unit: [] for unit in order}
    for unit in order[1:]:
        children[dominator[unit]].append(unit)
    result: list[tuple[int, bool]] = []
    stack = [start]
    while stack:
        unit = stack.pop()
        name = names[unit]
        result.append((name, name in loops and name != around))
        stack.extend(sorted(children[unit], key=position.__getitem__, reverse=True))
    return result
