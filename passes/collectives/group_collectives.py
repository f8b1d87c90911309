"""
Work-group collectives as loops over the group that accumulate in registers.

The values that go in lie in a context, unless all work-items have the same one; a scan
writes its results to a context.

```mlir
// before
%sum = spmd.reduce add %v across work_group : f32
// after; %v is in %v_context
%sum = scf.for %i = %c0 to %local_size_x step %c1 iter_args(%total = %zero) -> (f32) {
  %v = memref.load %v_context[%i] : memref<?xf32>
  %next = arith.addf %total, %v fastmath<reassoc> : f32
  scf.yield %next : f32
}
```
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, memref
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from spmd.dialects.building import Builder
from spmd.dialects.rewriting import constant_index, hint
from spmd.dialects.spmd import AllOp, AnyOp, BroadcastOp, ReduceOp, ScanOp
from spmd.dialects.spmd.collectives import ScanMode
from spmd.dialects.spmd.types import Kind, combine, neutral_element
from spmd.passes.collectives.group_loops import Step, fold_over_group
from spmd.passes.work_item_loops.building import WorkGroup

REASSOCIATE = arith.FastMathFlagsAttr((FastMathFlag.REASSOC,))
"""The order in which a collective combines floats is unspecified."""


def expand_collective(
    op: Operation, group: WorkGroup, source: SSAValue | None, output: SSAValue | None
) -> SSAValue | None:
    """
    Compute `op` before it; the result that all work-items get.

    `source` is the context with the values that go in; without, they are all equal.
    `output` is the context that gets the results of a scan; without, nobody needs them or
    they are all equal, and then equal to the value.
    """
    expander = _Expander(op, group, source)
    match op:
        case ReduceOp():
            result = expander.reduce(op.kind.data)
        case AnyOp():
            result = expander.reduce(Kind.OR)
        case AllOp():
            result = expander.reduce(Kind.AND)
        case BroadcastOp():
            result = expander.element(op.source)
        case ScanOp():
            if output is None:
                return op.value
            expander.scan(op, output)
            return None
        case _:
            raise AssertionError(f"{op.name} is no collective of the work-group")
    return hint(result, op.results[0])


class _Expander:
    def __init__(self, op: Operation, group: WorkGroup, source: SSAValue | None):
        self.at = Builder.before(op)
        self.group = group
        self.source = source
        self.value = op.operands[0]

    def reduce(self, kind: Kind) -> SSAValue:
        """All values combined."""
        if self.source is None and kind.is_idempotent:
            return self.value

        def step(total: SSAValue, ids: Mapping[int, SSAValue]) -> SSAValue:
            return self._combined(kind, total, ids)

        return self._accumulate(kind, step)

    def scan(self, op: ScanOp, output: SSAValue) -> None:
        """The values up to each work-item combined, in the order of the linear id."""

        def step(total: SSAValue, ids: Mapping[int, SSAValue]) -> SSAValue:
            new = self._combined(op.kind.data, total, ids)
            result = new if op.mode.data is ScanMode.INCLUSIVE else total
            self.at.append(memref.StoreOp.get(result, output, tuple(ids.values())))
            return new

        self._accumulate(op.kind.data, step)

    def element(self, number: SSAValue) -> SSAValue:
        """The value of the work-item with this linear id."""
        if self.source is None:
            return self.value
        if not self.group.has_work_item(constant_index(number)):
            # Nobody's value is undefined, but is read where there is memory.
            last = self.group.last_id(self.at)
            number = self.at.add(arith.MinUIOp(number, last), number)
        ids = self.group.ids_of(number, self.at)
        return self.at.add(memref.LoadOp.get(self.source, tuple(ids.values())))

    def _combined(
        self, kind: Kind, total: SSAValue, ids: Mapping[int, SSAValue]
    ) -> SSAValue:
        following = combine(kind, total, self._load(ids))
        if isinstance(following, arith.AddfOp | arith.MulfOp):
            following.fastmath = REASSOCIATE
        return self.at.add(following)

    def _load(self, ids: Mapping[int, SSAValue]) -> SSAValue:
        if self.source is None:
            return self.value
        load = memref.LoadOp.get(self.source, tuple(ids.values()))
        return self.at.add(load, self.value)

    def _accumulate(self, kind: Kind, step: Step) -> SSAValue:
        """Call `step` in loops over the group."""
        neutral = neutral_element(kind, self.value.type)
        start = self.group.constants.get(neutral, "neutral")
        return fold_over_group(self.group, start, step, "total", self.at)
