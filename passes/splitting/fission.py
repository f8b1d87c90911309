"""
Deep loop fission: a loop nest for each barrier region, in the control flow of the source.

Control flow that contains a barrier moves outside of the work-item loops, with its uniform
values. So do operations that compute the same value in all work-items, which run once per
group. Every other value that a work-item takes from one region to the next is
rematerialized there if that is cheap, or kept in a *context*: group memory with one
element per work-item.

```mlir
// before
scf.for %i = %c0 to %n step %c1 iter_args(%sum = %v) -> (f32) {
  ...
  spmd.barrier
  ...
  scf.yield %new : f32
}
// after
scf.for %i = %c0 to %n step %c1 {
  scf.for %lx = %c0 to %local_size_x step %c1 {
    %sum = memref.load %sum_context[%lx] : memref<?xf32>
    ...
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %local_size_x step %c1 {
    ...
    memref.store %new, %sum_context[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
}
```
"""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.analyses import Analyses
from spmd.analysis.barriers.barrier_regions import BarrierRegion
from spmd.analysis.contexts.region_slots import assign_region_slots
from spmd.dialects.building import Builder
from spmd.dialects.interfaces.control_flow import Operand, phis
from spmd.dialects.rewriting import hint, named
from spmd.dialects.spmd import (
    BarrierOp,
    Kind,
    LocalIdOp,
    ReduceOp,
    Scope,
    is_group_collective,
    is_sync,
)
from spmd.passes.collectives.group_collectives import expand_collective
from spmd.passes.rematerialization.counted_loops import for_to_while
from spmd.passes.rematerialization.replace_forwarded import erase_phis, forward_less
from spmd.passes.splitting.convergence_checks import (
    COMPARED,
    Paths,
    agreed_value,
    path_number,
)
from spmd.passes.splitting.kept_values import EntryValues, KeptValues
from spmd.passes.splitting.private_arrays import PrivateArrays, fail_about_unmovable
from spmd.passes.work_item_loops.building import (
    WorkGroup,
    WorkItemNest,
    explain,
    load,
    store,
)


def split_by_fission(analyses: Analyses, check: bool = False) -> None:
    """
    Split a kernel, for which `why_not_fission` knows no reason not to.

    With `check`, work-items that diverge where all have to agree end the launch.
    """
    uneven = [
        carrier
        for carrier in analyses.regions.carriers
        if isinstance(carrier, scf.ForOp)
        and not all(
            map(analyses.divergence.is_uniform, (carrier.lb, carrier.ub, carrier.step))
        )
    ]
    if uneven:
        for loop in uneven:
            for_to_while(loop)
        analyses.invalidate()
    _make_sizes_known(analyses)
    fail_about_unmovable(analyses.region_needs.values.unmovable)
    _Splitter(analyses, check).split()


UNIFORM_BUT_LATE = "the same in all work-items, which may write before they compute it"
AGREED = "the same in all work-items, since each path leads to barriers of its own"


def _make_sizes_known(analyses: Analyses) -> None:
    """
    Put a barrier before private arrays whose sizes are computed in their region.

    The array of all work-items is made when the size is known, before the first of them
    goes on. Sizes are the same in all of them by the language; where that is not proved,
    the largest is taken.
    """
    regions, divergence = analyses.regions, analyses.divergence
    changed: list[memref.AllocaOp] = []
    for alloca in analyses.region_needs.values.private:
        region = regions.region_of(alloca)
        if region is None or alloca not in region.ops:
            continue
        late, waits = False, False
        for number, size in enumerate(alloca.dynamic_sizes):
            if not divergence.is_uniform(size):
                largest = ReduceOp(Kind.MAXUI, size, Scope.WORK_GROUP)
                alloca.operands[number] = Builder.before(alloca).add(largest, size)
                waits = True
            elif isinstance(size, OpResult) and regions.region_of(size.op) is region:
                late = True
        if late and not waits:
            Builder.before(alloca).append(BarrierOp())
        if late or waits:
            changed.append(alloca)
    if changed:
        analyses.invalidate()


class _Splitter:
    """
    Moves what each region runs into its loops, region by region.

    What runs once stays where it is; a region's loops are placed where the region ended.
    """

    def __init__(self, analyses: Analyses, check: bool):
        self.needs = needs = analyses.region_needs
        self.regions = analyses.regions
        self._paths = Paths(analyses) if check else None
        slots = assign_region_slots(needs, analyses.flow)
        # From here on the kernel changes.
        self.group = WorkGroup(analyses.kernel)
        self.kept = KeptValues.allocate(
            self.group, needs.values, slots, UNIFORM_BUT_LATE
        )
        self._loads = {
            value: load(slot, (), value) for value, slot in self.kept.uniform.items()
        }
        self.private = PrivateArrays(self.group, needs, self._outside)
        self._entries: dict[BarrierRegion, EntryValues] = {}

    def split(self) -> None:
        self.private.interleave(self._nest_of)
        for region in self.regions.regions:
            entered = self.needs.entered_by(region)
            for value in (
                *(value for value, is_used in entered.items() if is_used),
                *(value for value, _ in self.kept.slots.copies[region]),
                *(decision.value for decision in self.needs.agreed.get(region, ())),
            ):
                self._entry(region).get(value)
        self._rename_uses()
        for region in self.regions.regions:
            self._place(region)
        for sync in self.regions.syncs:
            if is_group_collective(sync):
                self._expand(sync)
        self._remove_syncs()

    def _remove_syncs(self) -> None:
        """Erase the syncs, and what control flow around them no longer forwards."""
        dropped = self.needs.forwarded
        # Nothing uses it any more but syncs, and what is dropped itself.
        lost = [
            phi
            for op in self.regions.stops
            for phi in phis(op)
            if phi.values[0] in dropped
        ]
        forward_less(lost)
        for op in reversed(self.regions.stops):
            if is_sync(op):
                Rewriter.erase_op(op)
        erase_phis(lost)

    def _outside(self, value: SSAValue) -> SSAValue:
        """What `value`, which all work-items agree on, is called outside of their loops."""
        slot = self._loads.get(value)
        return value if slot is None else slot.res

    def _nest_of(self, op: Operation) -> WorkItemNest:
        region = self.regions.region_of(op)
        assert region is not None, "only work-items use private memory"
        return self._entry(region).nest

    def _entry(self, region: BarrierRegion) -> EntryValues:
        """The loops of `region`, made when it turns out to have something in them."""
        if (entry := self._entries.get(region)) is not None:
            return entry
        nest = self.group.nest(region.end)

        def known(value: SSAValue) -> SSAValue | None:
            owner = value.owner
            if isinstance(owner, memref.AllocaOp) and self.private.replaces(owner):
                return self.private.view_in(owner, nest)
            if isinstance(owner, Operation) and self.regions.region_of(owner) is region:
                return value
            slot = self._loads.get(value)
            return None if slot is None else slot.res

        entry = self._entries[region] = EntryValues(self.kept, nest, known)
        return entry

    def _rename_uses(self) -> None:
        """Let every use of a value that lives elsewhere see what it became there."""
        for value in self.needs.renamed:
            for use in tuple(value.uses):
                region = self.regions.region_of(use.operation)
                if region is None:
                    new = self._outside(value)
                else:
                    new = self._entry(region).values.get(value, value)
                if new is not value:
                    use.operation.operands[use.index] = new

    def _place(self, region: BarrierRegion) -> None:
        """Move the operations of `region` into its loops, and those where it ends."""
        ops = [op for op in region.ops if not isinstance(op, LocalIdOp)]
        decided = self.needs.agreed.get(region, ())
        if not (ops or self.kept.slots.copies[region] or decided):
            return
        self.private.place(region)
        entry = self._entry(region)
        nest = entry.nest
        agreed: list[memref.LoadOp] = []
        for op in ops:
            op.detach()
            if self.private.replaces(op):
                continue
            nest.body.add_op(op)
            for result in op.results:
                self.kept.store(result, result, nest, nest.body, op)
                if (slot := self._loads.get(result)) is not None:
                    agreed.append(slot)
        self.kept.store_copies(region, entry.get, nest, nest.body, region.end)
        compared: list[tuple[Operand, SSAValue]] = []
        for decision in decided:
            value, (op, position) = decision.value, decision
            mine = entry.get(value)
            if self._paths is not None:
                if isinstance(op, scf.IndexSwitchOp):
                    mine = path_number(op, mine, Builder.at_end(nest.body, op))
                context = self.group.array(mine.type, named(value, "context"), op)
                explain(context, COMPARED)
                nest.body.add_op(store(mine, context, nest.indices, op))
                compared.append((decision, context))
                continue
            slot = self.group.uniform_slot(value.type, named(value, "slot"), op)
            explain(slot, AGREED)
            nest.body.add_op(store(mine, slot, (), op))
            result = load(slot, (), value)
            agreed.append(result)
            op.operands[position] = result.res
        at = Builder.before(region.end)
        if nest.body.first_op is not None:
            nest.place(at.point)
        at.append(*agreed)
        for (op, position), context in compared:
            assert self._paths is not None
            did, like = self._paths.taken_at(region, op)
            first = agreed_value(self.group, context, did, at, like)
            op.operands[position] = hint(first, op.operands[position])

    def _expand(self, collective: Operation) -> None:
        result = expand_collective(
            collective,
            self.group,
            self.kept.input_of(collective),
            self.kept.contexts.get(collective.results[0]),
        )
        if result is not None:
            collective.results[0].replace_all_uses_with(result)
