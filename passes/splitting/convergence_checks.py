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
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.analyses import Analyses
from spmd.analysis.barriers.barrier_regions import BarrierRegion
from spmd.dialects.building import Builder
from spmd.dialects.diagnostics import source_location
from spmd.dialects.messages import escaped
from spmd.dialects.rewriting import hint, locate
from spmd.dialects.spmd import BroadcastOp, FailOp
from spmd.passes.collectives.group_loops import fold_over_group
from spmd.passes.work_item_loops.building import WorkGroup

NOBODY = -1
"""As a number of a work-item: not found yet."""

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
    group: WorkGroup, values: SSAValue, did: str, at: Builder, like: Operation
) -> SSAValue:
    """
    The element that all work-items have in the array `values`, loaded by `at`.

    Where they differ, the launch ends. `did` says what a work-item did or has; it has one
    place, for the element. The message is about `like`.
    """
    zero = group.constants.index(0)
    first = at.add(memref.LoadOp.get(values, [zero] * len(group.dimensions)))
    if not group.dimensions:
        return first
    differ = _differences(group, values, first, at)
    none = group.constants.zero(first.type)
    diverged = at.add(arith.CmpiOp(differ, none, "ne"), "diverged")
    report = Builder.at_end(Block(), like)
    other = _first_that_differs(group, values, first, report)
    ids = group.ids_of(other, report)
    its = report.add(memref.LoadOp.get(values, tuple(ids.values())), "its")
    who = [ids.get(dimension, zero) for dimension in range(3)]
    where = [group.group_id(dimension) for dimension in range(3)]
    fail = FailOp(
        f"work-item ({{}}, {{}}, {{}}) of work-group ({{}}, {{}}, {{}}) {did}, "
        f"but work-item (0, 0, 0) {did}",
        [*who, *where, its, first],
    )
    report.append(fail, scf.YieldOp())
    guard = scf.IfOp(diverged, (), Region(report.point.block))
    locate(guard, like)
    at.append(guard)
    return first


def path_number(op: scf.IndexSwitchOp, value: SSAValue, at: Builder) -> SSAValue:
    """
    Which path `op` takes where its argument is `value`: 0 is the default, 1 the first case.

    Work-items need not agree on more. Says so in `op`, which takes such a number from now on.
    """
    cases = op.cases.get_values()

    def numbered(path: int) -> Region:
        number = arith.ConstantOp.from_int_and_width(path, IndexType())
        return Region(Block((number, scf.YieldOp(number))))

    paths = [numbered(path) for path in range(1, len(cases) + 1)]
    number = scf.IndexSwitchOp(value, op.cases, numbered(0), paths, [IndexType()])
    op.properties["cases"] = DenseArrayBase.from_list(i64, range(1, len(cases) + 1))
    return at.add(number, "path")


def _differences(
    group: WorkGroup, values: SSAValue, first: SSAValue, at: Builder
) -> SSAValue:
    """
    The bits in which some element differs from `first`.

    To look for the work-item at the same time would be a minimum that LLVM 22 follows
    through nests of loops, in exponential time.
    """

    def step(found: SSAValue, ids: Mapping[int, SSAValue]) -> SSAValue:
        value = at.add(memref.LoadOp.get(values, tuple(ids.values())), "value")
        differences = at.add(arith.XOrIOp(value, first))
        return at.add(arith.OrIOp(found, differences))

    start = group.constants.zero(first.type)
    return hint(fold_over_group(group, start, step, "differences", at), "differ")


def _first_that_differs(
    group: WorkGroup, values: SSAValue, first: SSAValue, at: Builder
) -> SSAValue:
    """The number of the first work-item whose element is not `first`."""
    nobody = group.constants.index(NOBODY)

    def step(found: SSAValue, ids: Mapping[int, SSAValue]) -> SSAValue:
        value = at.add(memref.LoadOp.get(values, tuple(ids.values())))
        differs = at.add(arith.CmpiOp(value, first, "ne"), "differs")
        unknown = at.add(arith.CmpiOp(found, nobody, "eq"))
        here = at.add(arith.AndIOp(differs, unknown))
        return at.add(arith.SelectOp(here, group.linear_id(ids, at), found))

    return hint(fold_over_group(group, nobody, step, "found", at), "other")


class Paths:
    """Where the paths lead that work-items of a kernel can take, before it is split."""

    def __init__(self, analyses: Analyses):
        self._flow = analyses.flow
        self._ahead = analyses.syncs_ahead
        self._syncs = tuple(analyses.regions.syncs)
        self._names = places_of(self._syncs)

    def taken_at(self, region: BarrierRegion, op: Operation) -> tuple[str, Operation]:
        """
        What a work-item does whose decision `op` makes after `region`.

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
            return choice(map(self._leading_to, self._flow[region])), carrier
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
