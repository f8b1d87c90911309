"""
Memrefs that control flow chooses at run time and that are needed across barriers.

A *place* is where control flow passes a memref on: a result of structured control flow, an
argument of a block, or both together for a value that a loop carries. What arrives there
was made elsewhere, by views and `arith.select`, of *bases*: kernel arguments, allocations,
globals, but not `ub.poison`, which may be any of them. Places whose memrefs may be the same ones are a *family*.

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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from xdsl.dialects import arith, memref, scf, ub
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from spmd.analysis.accesses import VIEWS
from spmd.analysis.barrier_regions import (
    BarrierRegions,
    around_syncs,
    find_barrier_regions,
    is_sync,
)
from spmd.analysis.unstructured import branch_of
from spmd.dialects.spmd import KernelOp


class Edge(NamedTuple):
    """One value that an operation passes on."""

    op: Operation
    group: int
    """Which of its successors gets it; 0 for operations with regions and their ends."""

    position: int


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    """The type of a memref."""
    type_ = value.type
    assert isinstance(type_, MemRefType)
    return cast(MemRefType[Attribute], type_)


@dataclass(eq=False)
class Place:
    """Where control flow passes a memref on."""

    values: tuple[SSAValue, ...]
    """The block arguments and the result that the memref is known as."""

    edges: tuple[Edge, ...]
    """Where it comes from."""

    family: Family
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


def passed_on(op: Operation) -> Sequence[Sequence[SSAValue]]:
    """The values that `op` passes on, for each successor; one group if it has none."""
    match op:
        case scf.ForOp():
            return (op.iter_args,)
        case scf.WhileOp():
            return (op.arguments,)
        case scf.ConditionOp():
            return (op.args,)
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            return ((),)
        case _:
            return branch_of(op).operands or ()


def find_chosen_memrefs(kernel: KernelOp) -> tuple[Place, ...]:
    """The places of `kernel` whose memrefs are needed across barriers."""
    found = tuple(_places(kernel))
    if not found or not any(is_sync(op) for op in kernel.walk()):
        return ()
    place_of = {value: place for place in found for value in place.values}
    sources = {place: _sources(place, place_of) for place in found}
    regions = find_barrier_regions(kernel, _NothingUniform())
    carriers = set(around_syncs(kernel))
    open_ = [p for p in found if _is_carried(p, carriers) or _crosses(p, regions)]
    chosen: set[Place] = set()
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


class _NothingUniform:
    def is_uniform(self, value: SSAValue) -> bool:
        return False


def _places(kernel: KernelOp) -> Iterator[Place]:
    for op in kernel.walk():
        match op:
            case scf.ForOp():
                end = _end_of(op.body)
                for i, (argument, result) in enumerate(
                    zip(op.body.block.args[1:], op.res, strict=True)
                ):
                    yield from _place(
                        (argument, result), Edge(op, 0, i), Edge(end, 0, i)
                    )
            case scf.WhileOp():
                end = _end_of(op.after_region)
                for i, argument in enumerate(op.before_region.block.args):
                    yield from _place((argument,), Edge(op, 0, i), Edge(end, 0, i))
                condition = _end_of(op.before_region)
                for i, (argument, result) in enumerate(
                    zip(op.after_region.block.args, op.res, strict=True)
                ):
                    yield from _place((argument, result), Edge(condition, 0, i))
            case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
                ends = [
                    end
                    for region in op.regions
                    for block in region.blocks
                    if isinstance(end := block.last_op, scf.YieldOp)
                ]
                for i, result in enumerate(op.results):
                    yield from _place((result,), *(Edge(end, 0, i) for end in ends))
                yield from _of_blocks(op)
            case KernelOp():
                yield from _of_blocks(op)
            case _:
                pass


def _of_blocks(op: Operation) -> Iterator[Place]:
    """The arguments of the blocks in the regions of `op` that others branch to."""
    for region in op.regions:
        edges: dict[Block, list[tuple[Operation, int]]] = {}
        for block in region.blocks if len(region.blocks) > 1 else ():
            end = block.last_op
            for group, after in enumerate(() if end is None else end.successors):
                assert end is not None
                edges.setdefault(after, []).append((end, group))
        for block, ends in edges.items():
            for i, argument in enumerate(block.args):
                yield from _place((argument,), *(Edge(*end, i) for end in ends))


def _place(values: tuple[SSAValue, ...], *edges: Edge) -> Iterator[Place]:
    if isinstance(values[0].type, MemRefType):
        yield Place(values, edges, Family())


def _end_of(region: Region) -> Operation:
    end = region.block.last_op
    assert end is not None, "a region of structured control flow has a terminator"
    return end


def origins_of(
    memory: SSAValue, place_of: Mapping[SSAValue, Place]
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
    owner = value.owner
    if isinstance(owner, VIEWS) and not isinstance(owner, memref.ViewOp):
        return owner.operands[0]
    return None


def _sources(place: Place, place_of: Mapping[SSAValue, Place]) -> dict[SSAValue, None]:
    """The bases, and values of other places, that arrive at `place`."""
    sources: dict[SSAValue, None] = {}
    for op, group, position in place.edges:
        sources.update(origins_of(passed_on(op)[group][position], place_of))
    return sources


def _is_carried(place: Place, carriers: set[Operation]) -> bool:
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


def _crosses(place: Place, regions: BarrierRegions) -> bool:
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
    places: Sequence[Place],
    sources: Mapping[Place, Mapping[SSAValue, None]],
    place_of: Mapping[SSAValue, Place],
) -> None:
    """Fill in bases and families."""
    behind: dict[Place, list[Place]] = {place: [] for place in places}
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
    around: dict[Place, list[Place]] = {place: list(behind[place]) for place in places}
    for place in places:
        for after in behind[place]:
            around[after].append(place)
    done: set[Place] = set()
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
