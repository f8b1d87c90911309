"""
Deep loop fission: a loop nest for each barrier region, in the control flow of the source.

Control flow that contains a barrier moves outside of the work-item loops, with its uniform
values. So do operations that compute the same value in all work-items, which run once per
group. Every other value that a work-item takes from one region to the next is recomputed
there if that is cheap, or kept in a *context*: group memory with one element per work-item.

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

from spmd.analysis.barriers.barrier_regions import (
    BarrierRegion,
    BarrierRegions,
    find_barrier_regions,
    is_group_collective,
)
from spmd.analysis.barriers.forwarded_values import Agreed
from spmd.analysis.contexts.context_needs import ContextNeeds, find_context_needs
from spmd.analysis.contexts.context_slots import Slot, assign_context_slots
from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.dialects.rewriting import hint, insert_before
from spmd.dialects.spmd import (
    BarrierOp,
    KernelOp,
    Kind,
    LocalIdOp,
    ReduceOp,
    Scope,
)
from spmd.passes.collectives.group_collectives import expand_collective
from spmd.passes.splitting.carriers import remove_syncs
from spmd.passes.splitting.convergence_checks import COMPARED, Ways, agreed_value
from spmd.passes.splitting.private_arrays import PrivateArrays, fail_about_unmovable
from spmd.passes.work_item_loops.building import (
    WorkGroup,
    WorkItemNest,
    explain,
    load,
    named,
    store,
)
from spmd.passes.work_item_loops.counted_loops import for_to_while


def split_by_fission(
    kernel: KernelOp,
    regions: BarrierRegions,
    divergence: Divergence,
    check: bool = False,
) -> None:
    """
    Split `kernel`, for which `why_not_fission` knows no reason not to.

    With `check`, work-items that go different ways where all have to agree end the launch.
    """
    uneven = [
        carrier
        for carrier in regions.carriers
        if isinstance(carrier, scf.ForOp)
        and not all(map(divergence.is_uniform, (carrier.lb, carrier.ub, carrier.step)))
    ]
    if uneven:
        for loop in uneven:
            for_to_while(loop)
        divergence = analyze_kernel(kernel)
        regions = find_barrier_regions(kernel, divergence)
    needs = find_context_needs(regions, divergence)
    if _make_sizes_known(needs, divergence):
        divergence = analyze_kernel(kernel)
        regions = find_barrier_regions(kernel, divergence)
        needs = find_context_needs(regions, divergence)
    fail_about_unmovable(needs.unmovable)
    _Splitter(kernel, needs, check).split()


UNIFORM_BUT_LATE = "the same in all work-items, which may write before they compute it"
AGREED = "the same in all work-items, since each way leads to barriers of its own"


def _make_sizes_known(needs: ContextNeeds, divergence: Divergence) -> bool:
    """
    Put a barrier in front of private arrays whose sizes are computed in their region.

    The array of all work-items is made when the size is known, before the first of them
    goes on. Sizes are the same in all of them by the language; where that is not proved,
    the largest is taken. Whether a barrier was needed.
    """
    regions, any_late = needs.regions, False
    for alloca in needs.private:
        region = regions.region_of(alloca)
        if region is None or alloca not in region.ops:
            continue
        late, waits = False, False
        for number, size in enumerate(alloca.dynamic_sizes):
            if not divergence.is_uniform(size):
                largest = ReduceOp(Kind.MAXUI, size, Scope.WORK_GROUP)
                insert_before(alloca, largest)
                alloca.operands[number] = hint(largest.result, size)
                waits = True
            elif isinstance(size, OpResult) and regions.region_of(size.op) is region:
                late = True
        if late and not waits:
            insert_before(alloca, BarrierOp())
        any_late = any_late or late or waits
    return any_late


class _Splitter:
    """
    Moves what each region runs into its loops, region by region.

    What runs once stays where it is; a region's loops are placed where the region ended.
    """

    def __init__(self, kernel: KernelOp, needs: ContextNeeds, check: bool):
        self.group = WorkGroup(kernel)
        self.needs = needs
        self.slots = assign_context_slots(needs)
        self.regions = needs.regions
        self._ways = Ways(self.regions) if check else None
        self._nests: dict[BarrierRegion, WorkItemNest] = {}
        self._in_region: dict[tuple[SSAValue, BarrierRegion], SSAValue] = {}
        self._contexts: dict[SSAValue, SSAValue] = {}
        self._cells: dict[SSAValue, memref.LoadOp] = {}
        self._arrays: dict[Slot, SSAValue] = {}
        self._make_contexts()
        self.private = PrivateArrays(self.group, needs, self._outside)

    def split(self) -> None:
        self.private.interleave(self._nest_of)
        for region in self.regions.regions:
            for value in self.needs.used_in(region):
                self._value_in(value, region)
            for value, _ in self.slots.passed_at_end_of(region):
                self._value_in(value, region)
            for value, _, _ in self.needs.agreed_at_end_of(region):
                self._value_in(value, region)
        self._rename_uses()
        for region in self.regions.regions:
            self._place(region)
        self.private.free()
        for sync in self.regions.syncs:
            if is_group_collective(sync):
                self._expand(sync)
        remove_syncs(self.regions.stops, self.needs.varying)

    def _make_contexts(self) -> None:
        for value in self.needs.cells:
            assert isinstance(value, OpResult)
            cell = self.group.cell(value.type, named(value, "cell"), value.op)
            explain(cell, UNIFORM_BUT_LATE)
            self._contexts[value] = cell
            self._cells[value] = load(cell, (), value)
        for slot in self.slots.slots:
            name = slot.name and f"{slot.name}_context"
            array = self.group.array(slot.type, name, slot.op)
            self._arrays[slot] = explain(array, slot.reason)
            for value in slot.values:
                self._contexts[value] = self._arrays[slot]

    def _outside(self, value: SSAValue) -> SSAValue:
        """What `value`, which all work-items agree on, is called outside of their loops."""
        cell = self._cells.get(value)
        return value if cell is None else cell.res

    def _nest_of(self, op: Operation) -> WorkItemNest:
        region = self.regions.region_of(op)
        assert region is not None, "only work-items use private memory"
        return self._nest(region)

    def _nest(self, region: BarrierRegion) -> WorkItemNest:
        if (nest := self._nests.get(region)) is None:
            nest = self._nests[region] = self.group.nest(region.end)
        return nest

    def _value_in(self, value: SSAValue, region: BarrierRegion) -> SSAValue:
        """What `value` is called in `region`."""
        key = value, region
        if (known := self._in_region.get(key)) is None:
            known = self._bring(value, region)
            self._in_region[key] = known
        return known

    def _bring(self, value: SSAValue, region: BarrierRegion) -> SSAValue:
        """Make `value` known in `region`, in front of what the region does."""
        owner = value.owner
        nest = self._nest(region)
        if isinstance(owner, LocalIdOp):
            return nest.ids[owner.dimension.data.number]
        if isinstance(owner, memref.AllocaOp) and self.private.replaces(owner):
            return self.private.view_in(owner, nest)
        if isinstance(owner, Operation) and self.regions.region_of(owner) is region:
            return value
        if value in self._cells:
            return self._cells[value].res
        if value in self._contexts:
            op = load(self._contexts[value], nest.indices, value)
            nest.body.add_op(op)
            return op.res
        if self.needs.is_recomputed(value):
            assert isinstance(value, OpResult)
            operands = {
                operand: self._value_in(operand, region)
                for operand in value.op.operands
            }
            clone = value.op.clone(operands)
            clone.location = value.op.location
            nest.body.add_op(clone)
            return clone.results[value.index]
        return value

    def _rename_uses(self) -> None:
        """Let every use of a value that lives elsewhere see what it became there."""
        for value in self.needs.moved:
            for use in tuple(value.uses):
                region = self.regions.region_of(use.operation)
                if region is not None:
                    new = self._in_region.get((value, region), value)
                elif value in self._cells:
                    new = self._cells[value].res
                else:
                    continue
                if new is not value:
                    use.operation.operands[use.index] = new

    def _place(self, region: BarrierRegion) -> None:
        """Move the operations of `region` into its loops, and those where it ends."""
        ops = [op for op in region.ops if not isinstance(op, LocalIdOp)]
        passed = list(self.slots.passed_at_end_of(region))
        decided = self.needs.agreed_at_end_of(region)
        if not (ops or passed or decided):
            return
        self.private.place(region)
        nest = self._nest(region)
        agreed: list[memref.LoadOp] = []
        for op in ops:
            op.detach()
            if self.private.replaces(op):
                continue
            nest.body.add_op(op)
            for result in op.results:
                if (cell := self._cells.get(result)) is not None:
                    nest.body.add_op(store(result, self._contexts[result], (), op))
                    agreed.append(cell)
                elif (array := self._contexts.get(result)) is not None:
                    nest.body.add_op(store(result, array, nest.indices, op))
        for source, slot in passed:
            new = self._value_in(source, region)
            nest.body.add_op(store(new, self._arrays[slot], nest.indices, region.end))
        compared: list[tuple[Agreed, SSAValue]] = []
        for decision in decided:
            value, op, operand = decision
            mine = self._value_in(value, region)
            if self._ways is not None:
                context = self.group.array(value.type, named(value, "context"), op)
                explain(context, COMPARED)
                nest.body.add_op(store(mine, context, nest.indices, op))
                compared.append((decision, context))
                continue
            cell = self.group.cell(value.type, named(value, "cell"), op)
            explain(cell, AGREED)
            nest.body.add_op(store(mine, cell, (), op))
            result = load(cell, (), value)
            agreed.append(result)
            op.operands[operand] = result.res
        if nest.body.first_op is not None:
            nest.place_before(region.end)
        assert region.end.parent is not None
        region.end.parent.insert_ops_before(agreed, region.end)
        for (value, op, operand), context in compared:
            assert self._ways is not None
            did, like = self._ways.taken_at(region, op)
            first = agreed_value(self.group, context, did, region.end, like)
            op.operands[operand] = hint(first, value)

    def _expand(self, collective: Operation) -> None:
        variable = self.needs.input_of(collective)
        slot = None if variable is None else self.slots.slot_of(variable)
        array = None if slot is None else self._arrays[slot]
        output = self._contexts.get(collective.results[0])
        result = expand_collective(collective, self.group, array, output)
        if result is not None:
            collective.results[0].replace_all_uses_with(result)
