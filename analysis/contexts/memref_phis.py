"""
Memrefs that control flow chooses at run time and that are needed across barriers.

What arrives where control flow forwards a memref was made elsewhere, by views and
`arith.select`, of *bases*: kernel arguments, allocations, globals, but not `ub.poison`,
which may be any of them. Phis whose memrefs may be the same ones are a *family*.

```mlir
%m = scf.if %c -> (memref<?xf32>) {     // a phi; its bases are %a and %b
  %v = memref.subview %a[1] [8] [1] ...
  scf.yield %v
} else {
  scf.yield %b
}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref, ub
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import (
    BarrierRegions,
    around_syncs,
    find_barrier_regions,
)
from spmd.analysis.graphs.traversal import predecessors, reachable
from spmd.dialects.element_types import memref_type
from spmd.dialects.interfaces.control_flow import Phi, all_phis
from spmd.dialects.interfaces.views import viewed_memories
from spmd.dialects.spmd import KernelOp, is_sync


@dataclass(eq=False)
class MemrefPhi(Phi):
    """A memref that control flow forwards."""

    family: Family = field(default_factory=lambda: Family())
    bases: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    """What its memref may be a view of."""

    @property
    def type(self) -> MemRefType[Attribute]:
        """The type of the memref."""
        return memref_type(self.values[0])


@dataclass(eq=False)
class Family:
    """Phis that get their memrefs from each other."""

    bases: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """What any of the memrefs may be a view of, numbered."""


def find_chosen_memrefs(
    kernel: KernelOp, in_step: bool = False
) -> tuple[MemrefPhi, ...]:
    """
    The phis of `kernel` whose memrefs are needed across barriers.

    With `in_step` all phis: lanes that run in step forward no memrefs at all.
    """
    found = tuple(
        MemrefPhi(phi.values, phi.sources)
        for phi in all_phis(kernel)
        if isinstance(phi.values[0].type, MemRefType)
    )
    if not found or not (in_step or any(is_sync(op) for op in kernel.walk())):
        return ()
    phi_of = {value: phi for phi in found for value in phi.values}
    sources = {phi: _sources(phi, phi_of) for phi in found}
    regions = find_barrier_regions(kernel)
    carriers = set(around_syncs(kernel))
    starts = (
        phi
        for phi in found
        if in_step or _is_carried(phi, carriers) or _crosses(phi, regions)
    )
    chosen = reachable(
        starts, lambda phi: (phi_of[each] for each in sources[phi] if each in phi_of)
    )
    result = tuple(phi for phi in found if phi in chosen)
    _find_bases(result, sources, phi_of)
    return result


def viewed_by(value: SSAValue) -> Sequence[SSAValue]:
    """What `value` is a view or choice of, with offsets that count from one address."""
    return () if isinstance(value.owner, memref.ViewOp) else viewed_memories(value)


def _sources(
    phi: MemrefPhi, phi_of: Mapping[SSAValue, MemrefPhi]
) -> dict[SSAValue, None]:
    """The bases, and values of other phis, that arrive at `phi`."""
    viewed = reachable(
        (source.value for source in reversed(phi.sources)),
        lambda value: () if value in phi_of else reversed(viewed_by(value)),
    )
    return {
        value: None
        for value in viewed
        if value in phi_of
        or not (viewed_by(value) or isinstance(value.owner, ub.PoisonOp))
    }


def _is_carried(phi: MemrefPhi, carriers: set[Operation]) -> bool:
    """Whether control flow with a barrier inside forwards the memref."""
    for value in phi.values:
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if isinstance(parent, KernelOp) or parent in carriers:
                return True
        elif owner in carriers:
            return True
    return False


def _crosses(phi: MemrefPhi, regions: BarrierRegions) -> bool:
    """Whether another barrier region uses the memref, or a view of it."""
    value = phi.values[-1]
    if isinstance(value.owner, Block):
        return False
    home = regions.region_of(value.owner)
    memory = reachable((value,), _made_of)
    return any(
        regions.region_of(use.operation) is not home
        for value in memory
        for use in value.uses
    )


def _made_of(memory: SSAValue) -> Iterator[SSAValue]:
    """The memrefs that operations without regions make of one."""
    for use in memory.uses:
        for result in () if use.operation.regions else use.operation.results:
            if isinstance(result.type, MemRefType):
                yield result


def _find_bases(
    phis: Sequence[MemrefPhi],
    sources: Mapping[MemrefPhi, Mapping[SSAValue, None]],
    phi_of: Mapping[SSAValue, MemrefPhi],
) -> None:
    """Fill in bases and families."""
    targets: dict[MemrefPhi, list[MemrefPhi]] = {phi: [] for phi in phis}
    for phi in phis:
        for source in sources[phi]:
            if (before := phi_of.get(source)) is not None:
                targets[before].append(phi)
            else:
                phi.bases[source] = None
    worklist = list(phis)
    while worklist:
        phi = worklist.pop()
        for target in targets[phi]:
            if new := phi.bases.keys() - target.bases.keys():
                target.bases.update((base, None) for base in phi.bases if base in new)
                worklist.append(target)
    before = predecessors(phis, targets.__getitem__)
    around = {phi: [*targets[phi], *before[phi]] for phi in phis}
    done: set[MemrefPhi] = set()
    for first in phis:
        family = Family()
        for phi in () if first in done else reachable((first,), around.__getitem__):
            done.add(phi)
            phi.family = family
            for base in phi.bases:
                family.bases.setdefault(base, len(family.bases))
