"""
A kernel as one loop nest per sub-CFG and a loop that runs one after the other.

Each sync is a number; the work-items of a sub-CFG store the number of the sync that they
come to in one slot (they agree: in a legal kernel all reach the same one), which decides
what the group runs next. What always follows on another is written after it.

```mlir
// before
^loop:
  spmd.barrier
  "first"()
  cf.cond_br %c, ^loop, ^rest
^rest:
  ...
  spmd.return

// after
scf.while (%next = %first) : (index) -> () {
  %more = arith.cmpi ne, %next, %c0 : index
  scf.condition(%more)
} do {
^bb0(%sync: index):
  scf.for %lx = %c0 to %local_size_x step %c1 {
    "first"()
    scf.if %c {
      memref.store %c1, %next_sync[] : memref<index>
    } else {
      ...
      memref.store %c0, %next_sync[] : memref<index>
    }
  } {spmd.work_items = array<i64: 0>}
  %following = memref.load %next_sync[] : memref<index>
  scf.yield %following : index
}
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.analyses import Analyses
from spmd.analysis.barriers.barrier_regions import BarrierRegions
from spmd.analysis.barriers.convergent_loops import (
    ConvergentLoops,
    find_convergent_loops,
)
from spmd.analysis.barriers.sub_cfg_order import SubCfgOrder
from spmd.analysis.barriers.sub_cfgs import Cfg, SubCfg, find_sub_cfgs
from spmd.analysis.contexts.sub_cfg_needs import (
    SubCfgNeeds,
    SubCfgValues,
    find_sub_cfg_needs,
)
from spmd.analysis.contexts.sub_cfg_slots import assign_sub_cfg_slots
from spmd.dialects.building import Builder, Rematerializer
from spmd.dialects.diagnostics import fail, source_location
from spmd.dialects.enclosing import is_terminator, terminator
from spmd.dialects.interfaces.speculation import is_speculatable_from
from spmd.dialects.rewriting import named
from spmd.dialects.spmd import (
    CollectiveOp,
    KernelOp,
    LocalAllocOp,
    LocalIdOp,
    Scope,
    is_group_collective,
    is_sync,
)
from spmd.passes.splitting.convergence_checks import COMPARED
from spmd.passes.splitting.dispatch import Dispatcher
from spmd.passes.splitting.flatten_control_flow import flatten_control_flow
from spmd.passes.splitting.kept_values import KeptValues
from spmd.passes.splitting.private_arrays import (
    fail_about_unmovable,
    lift_private_array,
)
from spmd.passes.splitting.sub_cfg_code import Plan
from spmd.passes.work_item_loops.building import WorkGroup, explain


def make_continuations(analyses: Analyses, check: bool = False) -> None:
    """
    Replace the barriers of a kernel by continuations.

    With `check`, work-items that come to different syncs end the launch.
    """
    kernel = analyses.kernel
    flatten_control_flow(kernel)
    group = WorkGroup(kernel)
    for op in tuple(kernel.walk()):
        if isinstance(op, LocalAllocOp):
            group.move_to_head(op)
    analyses.invalidate()
    divergence = analyses.divergence
    once = _ops_that_run_once(group, analyses.regions)
    cfg = _split_at_syncs(kernel)
    rounds = find_convergent_loops(cfg, divergence)
    _fail_about_lanes(rounds)
    sub_cfgs = find_sub_cfgs(cfg)

    def facts() -> SubCfgValues:
        at_head = (op for op in group.head() if not isinstance(op, LocalIdOp))
        return SubCfgValues(cfg, divergence, rounds, once.union(at_head))

    values = facts()
    needs = find_sub_cfg_needs(values, sub_cfgs)
    fail_about_unmovable(needs.values.unmovable)
    head = Builder.at_end(Block())
    sizes = Rematerializer(head, lambda v: v if values.is_once(v) else None)

    def size_at_head(size: SSAValue) -> SSAValue | None:
        # It may be computed under a condition, but does no harm elsewhere.
        return sizes.get(size) if is_speculatable_from(size, values.is_once) else None

    arrays = [
        lift_private_array(group, alloca, size_at_head)
        for alloca in needs.values.private
    ]
    if arrays:
        head.append(*(op for array in arrays for op in array.ops))
        once = once.union(head.point.block.ops)
        Builder.before(terminator(group.entry)).move(head.point.block.ops)
        values = facts()
        needs = find_sub_cfg_needs(values, sub_cfgs)
        fail_about_unmovable(needs.values.unmovable)
    Dispatcher(_plan(group, values, needs, sub_cfgs, check)).write()


def _plan(
    group: WorkGroup,
    values: SubCfgValues,
    needs: SubCfgNeeds,
    sub_cfgs: Sequence[SubCfg],
    check: bool,
) -> Plan:
    """Make group memory for all that lives longer than a sub-CFG."""
    slots = assign_sub_cfg_slots(needs, sub_cfgs)
    kept = KeptValues.allocate(group, needs.values, slots, "the same in all work-items")
    operands: dict[tuple[Operation, int], SSAValue] = {}
    for sync in (s.sync for s in sub_cfgs):
        if sync is None or not is_group_collective(sync):
            continue
        for number, operand in enumerate(sync.operands):
            if values.is_once(operand) or (number == 0 and sync in slots.inputs):
                continue
            if number > 0 and check:
                context = group.array(operand.type, named(operand, "context"), sync)
                operands[sync, number] = explain(context, COMPARED)
            else:
                slot = group.uniform_slot(operand.type, named(operand, "slot"), sync)
                operands[sync, number] = explain(slot, f"goes into {sync.name}")
    compared = frozenset(s for s in sub_cfgs if check and values.may_diverge(s))
    order = SubCfgOrder.of(sub_cfgs)
    return Plan(group, values, needs, kept, operands, order, check, compared)


def _ops_that_run_once(
    group: WorkGroup, regions: BarrierRegions
) -> frozenset[Operation]:
    """What runs once per work-group, before all else."""
    once: list[Operation] = []
    for op in group.entry.ops:
        if is_sync(op) or is_terminator(op):
            break
        if regions.region_of(op) is None:
            once.append(op)
    return frozenset(once)


def _fail_about_lanes(rounds: ConvergentLoops) -> None:
    """
    Refuse sub-group operations where lanes may be in different iterations of a loop.

    What runs between two barriers runs in all lanes at once, but the language brings only
    lanes together that are in the same iteration of every loop.
    """
    for block, branch in rounds.not_convergent.items():
        for op in block.walk():
            if (
                not isinstance(op, CollectiveOp)
                or op.convergence_scope is not Scope.SUB_GROUP
            ):
                continue
            where = source_location(branch)
            fail(
                op,
                f"expected {op.name} where the lanes of a sub-group are in the same "
                "iteration of every loop, got it in a loop in which work-items can come to "
                "one barrier in different iterations, as they take different paths at its "
                "condition"
                f"{f' ({where})' if where else ''}; take it out of the loop, or let all "
                "work-items of the group decide the same there",
            )


def _split_at_syncs(kernel: KernelOp) -> Cfg:
    """Let every sync be the last operation of its block."""
    for first in tuple(kernel.body.blocks):
        block = first
        while (sync := next(filter(is_sync, block.ops), None)) is not None:
            assert sync.next_op is not None, "a sync is no terminator"
            block = block.split_before(sync.next_op)
    return Cfg(tuple(kernel.body.blocks))
