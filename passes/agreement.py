"""
Comparing what all work-items of a group have to agree on, when the group runs.

Every work-item has stored its value. In a legal kernel they are equal; where they are
not, the launch ends with a message that names two work-items which differ: the first one
of the group, and the first one whose value is not its.

```mlir
%first = memref.load %flags[%c0] : memref<64xi1>
%other = scf.for %ix = %c0 to %size step %c1 iter_args(%found = %none) -> (index) {
  %value = memref.load %flags[%ix] : memref<64xi1>
  %differs = arith.cmpi ne, %value, %first : i1
  %candidate = arith.select %differs, %ix, %none : index
  %least = arith.minui %found, %candidate : index
  scf.yield %least : index
}
%parted = arith.cmpi ne, %other, %none : index
scf.if %parted {
  %its = memref.load %flags[%other] : memref<64xi1>
  spmd.fail "work-item ({}, {}, {}) of work-group ({}, {}, {}) ..., but work-item (0, 0, 0) ..."
      (%other, %c0, %c0, %gx, %gy, %gz, %its, %first) : ...
}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.region_flow import region_flow, syncs_ahead
from spmd.dialects.diagnostics import source_location
from spmd.dialects.rewriting import hint, insert_before, locate
from spmd.dialects.spmd import BroadcastOp, FailOp
from spmd.dialects.spmd.failure import escaped
from spmd.passes.group_loops import fold_over_group
from spmd.passes.work_item_loops import WorkGroup

NOBODY = -1
"""As a number of a work-item larger than all others."""

COMPARED = "compared, because all work-items have to agree"
"""Why a context exists that is needed for nothing else."""


def choice(words: Iterable[str]) -> str:
    """Words of which the value of a work-item chooses one, in a message."""
    return f"{{{'|'.join(map(escaped, words))}}}"


def places_of(syncs: Sequence[Operation]) -> dict[Operation, str]:
    """What each sync of a kernel is called in a message that may name several of them."""
    names: dict[Operation, str] = {}
    times: dict[str, int] = {}
    for sync in syncs:
        location = source_location(sync)
        name = sync.name if location is None else f"{sync.name} ({location})"
        times[name] = times.get(name, 0) + 1
        names[sync] = name
    # The same place more than once: in a function that was called more than once, or
    # without locations.
    seen: dict[str, int] = {}
    for sync, name in names.items():
        if times[name] > 1:
            seen[name] = seen.get(name, 0) + 1
            names[sync] = f"{name}, occurrence {seen[name]} of {times[name]}"
    return names


def agreed_value(
    group: WorkGroup, values: SSAValue, did: str, anchor: Operation, like: Operation
) -> SSAValue:
    """
    The element that all work-items have in the array `values`, in front of `anchor`.

    Where they differ, the launch ends. `did` says what a work-item did or has; it has one
    place, for the element. The message is about `like`.
    """
    index = group.constants.index
    zero, nobody = index(0), index(NOBODY)
    first = memref.LoadOp.get(values, [zero] * len(group.dimensions))
    insert_before(anchor, first)
    if not group.dimensions:
        return first.res

    def step(found: SSAValue, ids: Mapping[int, SSAValue], body: Block) -> SSAValue:
        value = memref.LoadOp.get(values, tuple(ids.values()))
        differs = arith.CmpiOp(value, first, "ne")
        number, ops = group.linear_id(ids, like)
        candidate = arith.SelectOp(differs, number, nobody)
        least = arith.MinUIOp(found, candidate)
        hint(value.res, "value")
        hint(differs.result, "differs")
        body.add_ops((value, differs, *ops, candidate, least))
        return least.result

    other = fold_over_group(group, nobody, step, "found", anchor)
    hint(other, "other")
    parted = arith.CmpiOp(other, nobody, "ne")
    hint(parted.result, "parted")
    report = Block()
    ids, ops = group.ids_of(other, like)
    its = memref.LoadOp.get(values, tuple(ids.values()))
    hint(its.res, "its")
    who = [ids.get(dimension, zero) for dimension in range(3)]
    where = [group.group_id(dimension) for dimension in range(3)]
    end = FailOp(
        f"work-item ({{}}, {{}}, {{}}) of work-group ({{}}, {{}}, {{}}) {did}, "
        f"but work-item (0, 0, 0) {did}",
        [*who, *where, its, first],
    )
    report.add_ops((*ops, its, end, scf.YieldOp()))
    guard = scf.IfOp(parted, (), Region(report))
    locate(guard, like)
    insert_before(anchor, parted, guard)
    return first.res


class Ways:
    """Where the ways lead that work-items of a kernel can go, before it is split."""

    def __init__(self, regions: BarrierRegions):
        self._flow = region_flow(regions)
        self._ahead = syncs_ahead(regions, self._flow)
        self._syncs = tuple(regions.syncs)
        self._names = places_of(self._syncs)

    def taken_at(self, region: BarrierRegion, op: Operation) -> tuple[str, Operation]:
        """
        What a work-item does whose decision `op` makes behind `region`.

        In words, for `agreed_value`, and the operation that it is about.
        """
        carrier = op
        if isinstance(op, scf.ConditionOp):
            loop = op.parent_op()
            assert loop is not None
            carrier = loop
        if isinstance(carrier, scf.IfOp | scf.WhileOp):
            if_true, if_false = self._flow[region]
            return choice(map(self._leading_to, (if_false, if_true))), carrier
        what = "index" if isinstance(op, BroadcastOp) else "argument"
        return f"has {{}} as the {what} of {op.name}", carrier

    def _leading_to(self, region: BarrierRegion) -> str:
        ahead = self._ahead[region]
        places = [
            self._names[sync]
            for number, sync in enumerate(self._syncs)
            if ahead >> number & 1
        ]
        if ahead >> len(self._syncs):
            places.append("the end of the kernel")
        return f"goes on to {' or '.join(places)}"
