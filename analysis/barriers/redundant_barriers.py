"""
Which barriers order nothing: no work-item accesses after them what another one accessed
before, or both only read.

What has an effect of another kind, as `spmd.clock`, keeps the barriers around it.

Two accesses can meet if one writes and they may overlap, unless it is always the same
work-item that accesses an element: both use the same indices, which are different in all
work-items and the same in every iteration of every loop.

```mlir
memref.store %v, %tile[%lid]   // each work-item its own element
spmd.barrier                   // redundant
%w = memref.load %tile[%lid]
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.barriers.own_elements import OwnElements
from spmd.analysis.barriers.region_flow import region_flow
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.graphs.traversal import predecessors, reachable
from spmd.analysis.memory.accesses import accesses_of, may_overlap
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.rewriting import has_no_effect
from spmd.dialects.spmd import BarrierOp, KernelOp, is_group_barrier


@dataclass(frozen=True)
class Access:
    """One access to memory that work-items share."""

    op: Operation
    memory: SSAValue
    indices: tuple[SSAValue, ...] | None
    """`None` if they are not known."""

    writes: bool


class RedundantBarriers:
    """Looks at one barrier after the other; what is found redundant orders nothing more."""

    def __init__(
        self,
        kernel: KernelOp,
        regions: BarrierRegions,
        analyze: Callable[[], Divergence],
    ):
        self.regions = regions
        self.flow = region_flow(regions)
        self._predecessors = predecessors(self.flow, self.flow.__getitem__)
        self._accesses: dict[BarrierRegion, Sequence[Access] | None] = {}
        self._elements = OwnElements(kernel, analyze)
        self._gone: set[Operation] = set()

    def find(self) -> Iterator[tuple[BarrierOp, str]]:
        """The redundant barriers, in the order of the source, and why they can go."""
        for sync in self.regions.syncs:
            if isinstance(sync, BarrierOp) and (reason := self._why_redundant(sync)):
                self._gone.add(sync)
                yield sync, reason

    def _why_redundant(self, barrier: BarrierOp) -> str | None:
        region = self.regions.region_before(barrier)
        before = self._accesses_in(reachable((region,), self._before))
        after = self._accesses_in(reachable(self.flow[region], self._after))
        if before is None or after is None:
            return None
        own: dict[str, None] = {}
        for first in before:
            for second in after:
                if not (first.writes or second.writes):
                    continue
                if not may_overlap(first.memory, second.memory):
                    continue
                if not self._is_own(first, second):
                    return None
                own[underlying_object(first.memory).name_hint or "an array"] = None
        if not before:
            return "nothing that work-items share is accessed before it"
        if not after:
            return "nothing that work-items share is accessed after it"
        if own:
            names = ", ".join(f"%{name}" for name in own)
            return f"each work-item accesses only its own elements of {names}"
        return "what is written on one side of it is not accessed on the other"

    def _before(self, region: BarrierRegion) -> Sequence[BarrierRegion]:
        """The regions that `region` follows without a barrier in between."""
        return [r for r in self._predecessors[region] if not self._orders(r.end)]

    def _after(self, region: BarrierRegion) -> Sequence[BarrierRegion]:
        """The regions that follow `region` without a barrier in between."""
        return () if self._orders(region.end) else self.flow[region]

    def _accesses_in(self, regions: Iterable[BarrierRegion]) -> list[Access] | None:
        """The accesses in all of `regions`; `None` if they are not known."""
        found: list[Access] = []
        for region in regions:
            if (accesses := self._accesses_of(region)) is None:
                return None
            found.extend(accesses)
        return found

    def _orders(self, end: Operation) -> bool:
        """Whether `end` is a barrier that stays. A collective does not order memory."""
        return is_group_barrier(end) and end not in self._gone

    def _accesses_of(self, region: BarrierRegion) -> Sequence[Access] | None:
        if region not in self._accesses:
            self._accesses[region] = _find_accesses(region)
        return self._accesses[region]

    def _is_own(self, first: Access, second: Access) -> bool:
        """Whether only one work-item accesses an element in both."""
        indices = first.indices
        return (
            indices is not None
            and indices == second.indices
            and first.memory is second.memory
            and self._elements.is_own(first.memory, indices)
        )


def _find_accesses(region: BarrierRegion) -> Sequence[Access] | None:
    found: list[Access] = []
    for op in region.ops:
        if accesses_of(op).unknown:
            return None
        for inner in op.walk():
            if _is_ordered_by_itself(inner):
                return None
            found.extend(_shared_accesses(inner))
    return found


def _is_ordered_by_itself(op: Operation) -> bool:
    """Whether barriers order `op` though it accesses no memory, as they do `spmd.clock`."""
    access = MemoryAccess.of(op)
    if access is None or has_no_effect(op):
        return False
    return not (access.reads(op) or access.writes(op))


def _shared_accesses(op: Operation) -> Iterator[Access]:
    access = MemoryAccess.of(op)
    if access is None:
        return
    indices = access.indices(op)
    for memories, writes in ((access.reads(op), False), (access.writes(op), True)):
        for memory in memories:
            if not isinstance(underlying_object(memory).owner, memref.AllocaOp):
                yield Access(op, memory, indices, writes)
