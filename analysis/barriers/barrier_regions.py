"""
Which operations of a kernel run once per work-group, and which in each work-item between
which barriers.

A *sync* is a barrier or a collective of the work-group. The *spine* of a kernel is its
body and the regions of every control flow operation on the spine that has a sync
somewhere inside (a *carrier*). Syncs and carriers cut each block of the spine into
*barrier regions*. What runs in a barrier region
runs in every work-item; the rest of the spine runs once per work-group: carriers, and
operations that compute the same value in all work-items, or assert it, without a work-item's
write or message coming in between.

```mlir
%n = memref.load %sizes[%c0] : memref<?xindex>   // once: uniform, nothing written before
memref.store %v, %tile[%lid] : memref<64xf32>    // region 0
spmd.barrier
scf.for %i = %c0 to %n step %c1 {                // once: carrier
  memref.store %v, %x[%lid] : memref<?xf32>      // region 1
  spmd.barrier
  memref.store %v, %y[%lid] : memref<?xf32>      // region 2
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import cf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.memory.accesses import accesses_of, may_overlap
from spmd.dialects.enclosing import is_terminator, used_from_outside
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.interfaces.speculation import may_go_on, may_trap
from spmd.dialects.spmd import (
    FailOp,
    KernelOp,
    LocalAllocOp,
    LocalIdOp,
    ScanOp,
    SubGroupQueryOp,
    is_group_collective,
    is_sync,
)


@dataclass(eq=False)
class BarrierRegion:
    """A run of operations of one block that each work-item executes."""

    end: Operation
    """The sync, carrier or terminator after it."""

    ops: list[Operation] = field(default_factory=list[Operation])
    """Its operations, in order; what runs once per work-group is not among them."""


@dataclass(frozen=True)
class BarrierRegions:
    """How a kernel falls apart at its barriers."""

    regions: tuple[BarrierRegion, ...]
    """In the order of the source."""

    stops: tuple[Operation, ...]
    """The carriers and syncs, in the order of the source; a carrier before its inside."""

    _region_of: dict[Operation, BarrierRegion]
    _region_before: dict[Operation, BarrierRegion]
    _spine: frozenset[Block]

    @property
    def carriers(self) -> Iterator[Operation]:
        """The control flow that contains syncs, outermost first."""
        return (op for op in self.stops if not is_sync(op))

    @property
    def syncs(self) -> Iterator[Operation]:
        """The barriers and collectives of the work-group."""
        return filter(is_sync, self.stops)

    def region_of(self, op: Operation) -> BarrierRegion | None:
        """The barrier region that `op` runs in; `None` if it runs once per work-group."""
        while (region := self._region_of.get(op)) is None:
            if op.parent is None or op.parent in self._spine:
                return None
            parent = op.parent_op()
            assert parent is not None
            op = parent
        return region

    def region_before(self, end: Operation) -> BarrierRegion:
        """The barrier region that `end` (a sync, carrier or terminator) ends."""
        return self._region_before[end]


def find_barrier_regions(
    kernel: KernelOp, divergence: Divergence | None = None
) -> BarrierRegions:
    """
    Cut `kernel`, whose control flow around barriers is structured, at its barriers.

    Without `divergence`, all but local memory is taken to run in each work-item.
    """
    cutter = _Cutter(kernel, divergence)
    for block in kernel.body.blocks:
        cutter.cut(block)
    return cutter.result()


class _Cutter:
    def __init__(self, kernel: KernelOp, divergence: Divergence | None):
        self.divergence = divergence
        self.stops: list[Operation] = []
        self.regions: list[BarrierRegion] = []
        self.region_of: dict[Operation, BarrierRegion] = {}
        self.spine: set[Block] = set()
        self._carrying = set(around_syncs(kernel))

    def result(self) -> BarrierRegions:
        return BarrierRegions(
            tuple(self.regions),
            tuple(self.stops),
            self.region_of,
            {region.end: region for region in self.regions},
            frozenset(self.spine),
        )

    def cut(self, block: Block) -> None:
        self.spine.add(block)
        for ops, end in self._runs(block):
            self._divide(ops, BarrierRegion(end))
            if is_sync(end):
                self.stops.append(end)
            elif end in self._carrying:
                self.stops.append(end)
                for region in end.regions:
                    for inner in region.blocks:
                        self.cut(inner)

    def _runs(self, block: Block) -> Iterator[tuple[list[Operation], Operation]]:
        """The operations of `block` between one sync, carrier or end and the next."""
        ops: list[Operation] = []
        for op in block.ops:
            if op in self._carrying or is_sync(op) or is_terminator(op):
                yield ops, op
                ops = []
            else:
                ops.append(op)

    def _divide(self, ops: list[Operation], region: BarrierRegion) -> None:
        """Find out which of `ops` run once, and put the rest in `region`."""
        self.regions.append(region)
        effects = _Effects()
        for op in ops:
            if not self._runs_once(op, region, effects):
                region.ops.append(op)
                self.region_of[op] = region
                effects.add(op)

    def _runs_once(
        self, op: Operation, region: BarrierRegion, before: _Effects
    ) -> bool:
        if isinstance(op, LocalAllocOp):
            return True
        if isinstance(op, cf.AssertOp):
            # What is said first stays so.
            return not before.tells and self._is_once(op.arg, region)
        if not op.results or not all(map(self._is_uniform, op.results)):
            return False
        return (
            before.why_not_moved_up(op) is None
            and not _asks_who_it_is(op)
            and all(self._is_once(value, region) for value in used_from_outside(op))
        )

    def _is_uniform(self, value: SSAValue) -> bool:
        return self.divergence is not None and self.divergence.is_uniform(value)

    def _is_once(self, value: SSAValue, region: BarrierRegion) -> bool:
        """Whether `value` is known outside of the work-items where `region` begins."""
        owner = value.owner
        if isinstance(owner, Block) or owner in self._carrying:
            return self._is_uniform(value)
        if is_group_collective(owner):
            return not isinstance(owner, ScanOp) or self._is_uniform(value)
        made_in = self.region_of.get(owner)
        if made_in is None:
            return True
        if made_in is region or isinstance(value.type, MemRefType):
            return False
        return self._is_uniform(value)


class _Effects:
    """What the operations of a barrier region did so far."""

    def __init__(self):
        self.writes: list[SSAValue] = []
        self.unknown = False
        self.tells = False
        """Whether one of them may end the launch, or is seen from outside."""

    def add(self, op: Operation) -> None:
        self.tells = self.tells or any(map(_tells, op.walk()))
        accesses = accesses_of(op)
        self.writes.extend(accesses.writes)
        self.unknown = self.unknown or accesses.unknown

    def why_not_moved_up(self, op: Operation) -> str | None:
        """Why `op` may not run before the operations so far."""
        accesses = accesses_of(op)
        if accesses.writes or accesses.allocates or accesses.unknown:
            return "it has an effect"
        if accesses.reads and self.unknown:
            return "an operation of unknown effect runs before it"
        for read in accesses.reads:
            if any(may_overlap(read, write) for write in self.writes):
                return "a work-item may write what it reads"
        if self.tells and any(
            may_trap(inner) or may_go_on(inner) for inner in op.walk()
        ):
            return "an assertion may guard it, or a message come first"
        return None


def _tells(op: Operation) -> bool:
    return isinstance(op, cf.AssertOp | FailOp) or Ordered.of(op) is not None


def around_syncs(kernel: KernelOp) -> Iterator[Operation]:
    """The operations of `kernel` in which work-items wait for each other."""
    for op in kernel.walk():
        if is_sync(op):
            parent = op.parent_op()
            while parent is not None and parent is not kernel:
                yield parent
                parent = parent.parent_op()


def _asks_who_it_is(op: Operation) -> bool:
    """Whether `op` contains a question that only a work-item can answer."""
    return any(isinstance(inner, LocalIdOp | SubGroupQueryOp) for inner in op.walk())
