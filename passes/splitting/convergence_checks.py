"""
Comparing what all work-items of a group have to agree on, when the group runs.

Every work-item has stored its value. In a legal kernel they are equal; where they are
not, the launch ends with a message that names two work-items which differ: the first one
of the group, and the first one whose value is not its.

```mlir
%first = memref.load %flags[%c0] : memref<64xi1>
%differ = scf.for %ix = %c0 to %size step %c1 iter_args(%differences = %false) -> (i1) {
  %value = memref.load %flags[%ix] : memref<64xi1>
  %0 = arith.xori %value, %first : i1
  %1 = arith.ori %differences, %0 : i1
  scf.yield %1 : i1
}
%diverged = arith.cmpi ne, %differ, %false : i1
scf.if %diverged {
  %other = ...                                // another loop finds the work-item
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

from spmd.analysis.analyses import Analyses
from spmd.analysis.barriers.barrier_regions import BarrierRegion
from spmd.dialects.diagnostics import source_location
from spmd.dialects.rewriting import hint, insert_before, locate
from spmd.dialects.spmd import BroadcastOp, FailOp
from spmd.dialects.spmd.failure import escaped
from spmd.passes.collectives.group_loops import fold_over_group
from spmd.passes.work_item_loops.building import WorkGroup

NOBODY = -1
"""As a number of a work-item: not found yet."""

MOST_WORDS = 32
"""Cases of a switch whose ways are named; of more, the number is."""

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
    zero = group.constants.index(0)
    first = memref.LoadOp.get(values, [zero] * len(group.dimensions))
    insert_before(anchor, first)
    if not group.dimensions:
        return first.res
    parted = arith.CmpiOp(
        _differences(group, values, first.res, anchor),
        group.constants.zero(first.res.type),
        "ne",
    )
    hint(parted.result, "diverged")
    report = Block()
    end = scf.YieldOp()
    report.add_op(end)
    other = _first_that_differs(group, values, first.res, end)
    ids, ops = group.ids_of(other, like)
    its = memref.LoadOp.get(values, tuple(ids.values()))
    hint(its.res, "its")
    who = [ids.get(dimension, zero) for dimension in range(3)]
    where = [group.group_id(dimension) for dimension in range(3)]
    fail = FailOp(
        f"work-item ({{}}, {{}}, {{}}) of work-group ({{}}, {{}}, {{}}) {did}, "
        f"but work-item (0, 0, 0) {did}",
        [*who, *where, its, first],
    )
    report.insert_ops_before((*ops, its, fail), end)
    guard = scf.IfOp(parted, (), Region(report))
    locate(guard, like)
    insert_before(anchor, parted, guard)
    return first.res


def _differences(
    group: WorkGroup, values: SSAValue, first: SSAValue, anchor: Operation
) -> SSAValue:
    """
    The bits in which some element differs from `first`.

    To look for the work-item at the same time would be a minimum that LLVM 22 follows
    through nests of loops, in exponential time.
    """

    def step(found: SSAValue, ids: Mapping[int, SSAValue], body: Block) -> SSAValue:
        value = memref.LoadOp.get(values, tuple(ids.values()))
        differences = arith.XOrIOp(value, first)
        all_ = arith.OrIOp(found, differences)
        hint(value.res, "value")
        body.add_ops((value, differences, all_))
        return all_.result

    start = group.constants.zero(first.type)
    return hint(fold_over_group(group, start, step, "differences", anchor), "differ")


def _first_that_differs(
    group: WorkGroup, values: SSAValue, first: SSAValue, anchor: Operation
) -> SSAValue:
    """The number of the first work-item whose element is not `first`."""
    nobody = group.constants.index(NOBODY)

    def step(found: SSAValue, ids: Mapping[int, SSAValue], body: Block) -> SSAValue:
        value = memref.LoadOp.get(values, tuple(ids.values()))
        differs = arith.CmpiOp(value, first, "ne")
        unknown = arith.CmpiOp(found, nobody, "eq")
        here = arith.AndIOp(differs, unknown)
        number, ops = group.linear_id(ids, anchor)
        chosen = arith.SelectOp(here, number, found)
        hint(differs.result, "differs")
        body.add_ops((value, differs, unknown, here, *ops, chosen))
        return chosen.result

    return hint(fold_over_group(group, nobody, step, "found", anchor), "other")


class Paths:
    """Where the paths lead that work-items of a kernel can take, before it is split."""

    def __init__(self, analyses: Analyses):
        self._flow = analyses.flow
        self._ahead = analyses.syncs_ahead
        self._syncs = tuple(analyses.regions.syncs)
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
        if isinstance(op, scf.IndexSwitchOp):
            default, *ways = map(self._leading_to, self._flow[region])
            cases = dict(zip(op.cases.get_values(), ways, strict=True))
            if 0 <= min(cases, default=0) <= max(cases, default=0) < MOST_WORDS:
                # What is beyond the last case has the last word.
                words = [
                    cases.get(n, default) for n in range(max(cases, default=-1) + 1)
                ]
                return choice([*words, default]), carrier
        what = "index" if isinstance(op, BroadcastOp) else "argument"
        return f"has {{}} as the {what} of {op.name}", carrier

    def _leading_to(self, region: BarrierRegion) -> str:
        """Where work-items come that run `region` next."""
        ahead = self._ahead[region]
        places = [
            self._names[sync]
            for number, sync in enumerate(self._syncs)
            if ahead >> number & 1
        ]
        if ahead >> len(self._syncs):
            places.append("the end of the kernel")
        return f"goes on to {' or '.join(places) or 'a loop without end'}"
