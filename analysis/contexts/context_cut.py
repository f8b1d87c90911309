"""
Which values to store so that all others that are needed can be computed again.

Values form a graph: from the operands of a cheap operation to its result. Some nodes can
only be stored (a load), some are needed after a barrier. What is stored is a minimum cut
between these: every path from the first to the second goes through a stored value, and the
stored values take as few bytes as possible. Of several cuts the one nearest to the uses is
taken, which leaves the least to compute again.

```mlir
%v = memref.load %x[%i]      // 4 bytes, cannot be computed again
%a = arith.addf %v, %one     // needed
%b = arith.addf %v, %two     // needed: with %a, 8 bytes; %v is the cut
```

What takes more than `REMATERIALIZED_OPS` operations counts as something that can only be
stored: a short way to save a byte must not be a long way to compute it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.graphs.traversal import post_order, reachable
from spmd.dialects.element_types import size_in_bytes
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.interfaces.views import makes_view
from spmd.dialects.spmd import SubGroupQueryOp

REMATERIALIZED_OPS = 8
"""The most operations that are rematerialized rather than stored."""


LARGEST_GRAPH = 4000
"""Values of a graph for which a minimum is looked for."""

_INFINITY = 1 << 60

Operands = Callable[[SSAValue], tuple[int, Sequence[SSAValue]] | None]
"""What it costs to compute a value again, and from what; `None` if it cannot be done."""


def choose_stored(needed: Iterable[SSAValue], operands_of: Operands) -> set[SSAValue]:
    """
    A smallest set of values from which all that are `needed` can be computed.

    Operands that are known everywhere are not among `operands_of` a value.
    """
    needed = list(dict.fromkeys(needed))
    parents = _ancestors(needed, operands_of)
    stored = {value for value in needed if parents[value] is None}
    rest = [value for value in needed if value not in stored]
    sources = _reaching_sources(rest, parents, stored)
    rest = [value for value in rest if value in sources]
    if not rest:
        return stored
    if len(sources) > LARGEST_GRAPH:
        return stored.union(v for v in rest if not isinstance(v.type, MemRefType))
    return stored | _Network(rest, parents, sources).cut()


_Parents = dict[SSAValue, Sequence[SSAValue] | None]


def _ancestors(needed: Sequence[SSAValue], operands_of: Operands) -> _Parents:
    """The operands of each value that others are computed from; `None` for sources."""
    found: dict[SSAValue, tuple[int, Sequence[SSAValue]] | None] = {}

    def operands(value: SSAValue) -> Sequence[SSAValue]:
        found[value] = known = operands_of(value)
        return () if known is None else known[1]

    parents: _Parents = {}
    cost: dict[SSAValue, int] = {}
    for value in post_order(needed, operands):
        parents[value], cost[value] = None, 0
        if (known := found[value]) is not None:
            own, values = known
            total = own + sum(cost[operand] for operand in values)
            if total <= REMATERIALIZED_OPS or isinstance(value.type, MemRefType):
                parents[value], cost[value] = values, total
    return parents


def _reaching_sources(
    needed: Sequence[SSAValue], parents: _Parents, stored: set[SSAValue]
) -> set[SSAValue]:
    """The values on the paths from what can only be stored, and is not, to `needed`."""
    reaching: set[SSAValue] = set()
    for value in post_order(needed, lambda value: parents[value] or ()):
        operands = parents[value]
        is_source = operands is None and value not in stored
        if is_source or not reaching.isdisjoint(operands or ()):
            reaching.add(value)
    return reaching


class _Network:
    """A flow network in which each value is an edge from an even to an odd node."""

    def __init__(
        self,
        needed: Sequence[SSAValue],
        parents: _Parents,
        values: set[SSAValue],
    ):
        found = reachable(
            needed, lambda value: values.intersection(parents[value] or ())
        )
        self.number = {value: number for number, value in enumerate(found)}
        self.residual: list[dict[int, int]] = [{} for _ in range(2 * len(found) + 2)]
        for value, number in self.number.items():
            into, out = 2 * number + 2, 2 * number + 3
            is_memref = isinstance(value.type, MemRefType)
            self._edge(into, out, _INFINITY if is_memref else size_in_bytes(value.type))
            operands = parents[value]
            if operands is None:
                self._edge(0, into, _INFINITY)
            for operand in operands or ():
                if operand in self.number:
                    self._edge(2 * self.number[operand] + 3, into, _INFINITY)
        for value in needed:
            self._edge(2 * self.number[value] + 3, 1, _INFINITY)

    def _edge(self, a: int, b: int, capacity: int) -> None:
        self.residual[a][b] = self.residual[a].get(b, 0) + capacity
        self.residual[b].setdefault(a, 0)

    def cut(self) -> set[SSAValue]:
        """The minimum cut nearest to what is needed."""
        while self._augment():
            pass
        residual = self.residual
        reaches = reachable(
            [1], lambda node: (n for n in residual[node] if residual[n][node])
        )
        return {
            value
            for value, number in self.number.items()
            if 2 * number + 3 in reaches and 2 * number + 2 not in reaches
        }

    def _augment(self) -> bool:
        """Send more flow along an augmenting path; whether there was one."""
        came_from: dict[int, int] = {}
        worklist = [0]
        while worklist and 1 not in came_from:
            node = worklist.pop()
            for after, capacity in self.residual[node].items():
                if capacity and after not in came_from:
                    came_from[after] = node
                    worklist.append(after)
        if 1 not in came_from:
            return False
        path: list[tuple[int, int]] = []
        node = 1
        while node != 0:
            path.append((came_from[node], node))
            node = came_from[node]
        flow = min(self.residual[a][b] for a, b in path)
        for a, b in path:
            self.residual[a][b] -= flow
            self.residual[b][a] += flow
        return True


def cost_of(op: Operation) -> int | None:
    """What computing `op` again costs; `None` if it cannot or should not be done."""
    if isinstance(op, SubGroupQueryOp) or makes_view(op):
        return CostClass.SIMPLE
    cost = cost_class(op)
    if Elementwise.of(op) is None or cost >= CostClass.MEMORY:
        return None  # loading the result costs no more
    return max(cost, CostClass.SIMPLE)


def why_not_rematerialized(op: Operation) -> str:
    """Why the result of `op` is stored rather than computed again."""
    if cost_of(op) is None:
        return f"{op.name} is not rematerialized after a barrier"
    return "storing it takes the fewest bytes, or it takes too long to compute"
