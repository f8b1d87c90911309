"""
Memrefs that control flow chooses at run time and that are needed across barriers.

What arrives where control flow passes a memref on was made elsewhere, by views and
`arith.select`, of *bases*: kernel arguments, allocations, globals, but not `ub.poison`,
which may be any of them. Places whose memrefs may be the same ones are a *family*.

```mlir
%m = scf.if %c -> (memref<?xf32>) {     // a place; its bases are %a and %b
  %v = memref.subview %a[1] [8] [1] ...
  scf.yield %v
} else {
  scf.yield %b
}
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, memref, ub
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import (
    BarrierRegions,
    around_syncs,
    find_barrier_regions,
)
from spmd.dialects.interfaces.control_flow import Phi, all_phis
from spmd.dialects.interfaces.views import viewed_memory
from spmd.dialects.spmd import KernelOp, is_sync


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    """The type of a memref."""
    type_ = value.type
    assert isinstance(type_, MemRefType)
    return cast(MemRefType[Attribute], type_)


@dataclass(eq=False)
class MemrefPlace(Phi):
    """Where control flow passes a memref on."""

    family: Family = field(default_factory=lambda: Family())
    bases: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    """What its memref may be a view of."""

    @property
    def type(self) -> MemRefType[Attribute]:
        """The type of the memref."""
        return memref_type(self.values[0])


@dataclass(eq=False)
class Family:
    """Places that get their memrefs from each other."""

    bases: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """What any of the memrefs may be a view of, numbered."""


def find_chosen_memrefs(
    kernel: KernelOp, in_step: bool = False
) -> tuple[MemrefPlace, ...]:
    """
    The places of `kernel` whose memrefs are needed across barriers.

    With `in_step` all places: lanes that run in step pass no memrefs on at all.
    """
    found = tuple(
        MemrefPlace(phi.values, phi.sources)
        for phi in all_phis(kernel)
        if isinstance(phi.values[0].type, MemRefType)
    )
    if not found or not (in_step or any(is_sync(op) for op in kernel.walk())):
        return ()
    place_of = {value: place for place in found for value in place.values}
    sources = {place: _sources(place, place_of) for place in found}
    regions = find_barrier_regions(kernel)
    carriers = set(around_syncs(kernel))
    open_ = [
        place
        for place in found
        if in_step or _is_carried(place, carriers) or _crosses(place, regions)
    ]
    chosen: set[MemrefPlace] = set()
    while open_:
        place = open_.pop()
        if place not in chosen:
            chosen.add(place)
            open_.extend(
                place_of[origin] for origin in sources[place] if origin in place_of
            )
    result = tuple(place for place in found if place in chosen)
    _find_bases(result, sources, place_of)
    return result


def origins_of(
    memory: SSAValue, place_of: Mapping[SSAValue, MemrefPlace]
) -> dict[SSAValue, None]:
    """The bases, and the values of places, that `memory` may be a view of."""
    origins: dict[SSAValue, None] = {}
    seen: set[SSAValue] = set()
    open_ = [memory]
    while open_:
        value = open_.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in place_of:
            origins[value] = None
        elif isinstance(value.owner, arith.SelectOp):
            open_.extend((value.owner.rhs, value.owner.lhs))
        elif (source := viewed_by(value)) is not None:
            open_.append(source)
        elif not isinstance(value.owner, ub.PoisonOp):
            origins[value] = None
    return origins


def viewed_by(value: SSAValue) -> SSAValue | None:
    """The memref that `value` is a view of, with offsets that count from the same address."""
    return None if isinstance(value.owner, memref.ViewOp) else viewed_memory(value)


def _sources(
    place: MemrefPlace, place_of: Mapping[SSAValue, MemrefPlace]
) -> dict[SSAValue, None]:
    """The bases, and values of other places, that arrive at `place`."""
    sources: dict[SSAValue, None] = {}
    for source in place.sources:
        sources.update(origins_of(source.value, place_of))
    return sources


def _is_carried(place: MemrefPlace, carriers: set[Operation]) -> bool:
    """Whether control flow with a barrier inside passes the memref on."""
    for value in place.values:
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if isinstance(parent, KernelOp) or parent in carriers:
                return True
        elif owner in carriers:
            return True
    return False


def _crosses(place: MemrefPlace, regions: BarrierRegions) -> bool:
    """Whether another barrier region uses the memref, or a view of it."""
    value = place.values[-1]
    if isinstance(value.owner, Block):
        return False
    home = regions.region_of(value.owner)
    seen = {value}
    open_ = [value]
    while open_:
        for use in open_.pop().uses:
            if regions.region_of(use.operation) is not home:
                return True
            for result in use.operation.results:
                if (
                    not use.operation.regions
                    and isinstance(result.type, MemRefType)
                    and result not in seen
                ):
                    seen.add(result)
                    open_.append(result)
    return False


def _find_bases(
    places: Sequence[MemrefPlace],
    sources: Mapping[MemrefPlace, Mapping[SSAValue, None]],
    place_of: Mapping[SSAValue, MemrefPlace],
) -> None:
    """Fill in bases and families."""
    behind: dict[MemrefPlace, list[MemrefPlace]] = {place: [] for place in places}
    for place in places:
        for origin in sources[place]:
            if (before := place_of.get(origin)) is not None:
                behind[before].append(place)
            else:
                place.bases[origin] = None
    open_ = list(places)
    while open_:
        place = open_.pop()
        for after in behind[place]:
            new = [base for base in place.bases if base not in after.bases]
            if new:
                after.bases.update(dict.fromkeys(new))
                open_.append(after)
    around: dict[MemrefPlace, list[MemrefPlace]] = {
        place: list(behind[place]) for place in places
    }
    for place in places:
        for after in behind[place]:
            around[after].append(place)
    done: set[MemrefPlace] = set()
    for first in places:
        family = Family()
        same = [first]
        while same:
            place = same.pop()
            if place not in done:
                done.add(place)
                place.family = family
                for base in place.bases:
                    family.bases.setdefault(base, len(family.bases))
                same.extend(around[place])
