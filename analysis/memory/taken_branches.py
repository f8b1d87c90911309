"""
Which branches were taken, where a condition holds.

Structured control flow has no jumps out of a loop: a branch that leaves one gives `false` to
the condition of the loop, and joins those that go on. Of lanes for which the condition holds
it is known that they did not come from there.

```mlir
%on, %again = scf.if %hit -> (index, i1) {
  scf.yield %undefined, %false : index, i1
} else {
  scf.yield %next, %true : index, i1      // here, where %again holds
}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, OpResult, Region, SSAValue

from spmd.dialects.enclosing import terminator
from spmd.dialects.names import NEGATED
from spmd.dialects.rewriting import constant_index

Fact = tuple[SSAValue, bool]
"""An `i1`, and which one it is."""


class Facts:
    """What follows from some bits."""

    def __init__(self, facts: Iterable[Fact]):
        self.known: dict[Fact, None] = {}
        self._keys: set[tuple[object, bool]] = set()
        self._true: dict[Operation, list[OpResult]] = {}
        self._add(facts)

    def taken(self, op: Operation) -> int | None:
        """The number of the only region of a branch that was taken, if that is known."""
        found = [i for i, region in enumerate(op.regions) if self._may_be(op, region)]
        return found[0] if len(found) == 1 else None

    def enter(self, op: Operation, number: int) -> None:
        """Note what follows from this region of `op` being the one that was taken."""
        region = op.regions[number]
        self._add((_yielded(region, each), True) for each in self._true.get(op, ()))

    def _add(self, facts: Iterable[Fact]) -> None:
        work = list(facts)
        while work:
            value, holds = work.pop()
            key = _key(value, holds)
            if key not in self._keys:
                self._keys.add(key)
                self.known[value, holds] = None
                if holds and isinstance(value, OpResult):
                    self._true.setdefault(value.op, []).append(value)
                work += _follows(value, holds)

    def _may_be(self, op: Operation, region: Region) -> bool:
        if isinstance(op, scf.IfOp):
            opposite = _key(op.cond, region is not op.true_region)
            if opposite in self._keys:
                return False
        return not any(
            constant_index(_yielded(region, result)) == 0
            for result in self._true.get(op, ())
        )


def _yielded(region: Region, result: OpResult) -> SSAValue:
    """What `region` gives for a result of the operation around it."""
    return terminator(region.block).operands[result.index]


def _key(value: SSAValue, holds: bool) -> tuple[object, bool]:
    """The same for a comparison that holds and the opposite one that does not."""
    owner = value.owner
    if not isinstance(owner, arith.CmpiOp):
        return value, holds
    predicate = owner.predicate.value.data
    least = min(predicate, NEGATED[predicate])
    return (owner.lhs, owner.rhs, least), holds is (predicate == least)


def _follows(value: SSAValue, holds: bool) -> Iterator[Fact]:
    match value.owner:
        case arith.AndIOp(lhs=a, rhs=b) if holds:
            yield from ((a, True), (b, True))
        case arith.OrIOp(lhs=a, rhs=b) if not holds:
            yield from ((a, False), (b, False))
        case arith.XOrIOp(lhs=a, rhs=b) if constant_index(b) in (1, -1):
            yield a, not holds
        case arith.SelectOp(cond=c, lhs=a, rhs=b) if holds and constant_index(b) == 0:
            yield from ((c, True), (a, True))
        case _:
            pass
