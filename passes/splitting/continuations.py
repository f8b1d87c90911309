"""
A kernel as one loop nest per sub-CFG and a loop that runs one after the other.

Each sync is a number; the work-items of a sub-CFG store the number of the sync that they
come to in one cell (they agree: in a legal kernel all reach the same one), which decides
what the group runs next. What always follows on another is written behind it.

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

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from spmd.analysis.barriers.barrier_regions import (
    find_barrier_regions,
    is_group_collective,
    is_sync,
)
from spmd.analysis.barriers.convergent_loops import LoopRounds, find_loop_rounds
from spmd.analysis.barriers.sub_cfgs import (
    Cfg,
    SubCfg,
    end_of,
    find_sub_cfgs,
)
from spmd.analysis.contexts.sub_cfg_needs import (
    SubCfgNeeds,
    SubCfgValues,
    find_sub_cfg_needs,
)
from spmd.analysis.contexts.sub_cfg_slots import assign_sub_cfg_slots
from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.dialects.diagnostics import fail, source_location
from spmd.dialects.enclosing import parent_block
from spmd.dialects.rewriting import hint, insert_before, locate
from spmd.dialects.spmd import (
    BarrierOp,
    KernelOp,
    LocalAllocOp,
    LocalIdOp,
    ReturnOp,
    SubGroupQueryOp,
)
from spmd.passes.collectives.group_collectives import expand_collective
from spmd.passes.kernels.choose_sub_group_size import needs_sub_groups
from spmd.passes.splitting.convergence_checks import (
    COMPARED,
    agreed_value,
    choice,
    places_of,
)
from spmd.passes.splitting.flatten_control_flow import flatten_control_flow
from spmd.passes.splitting.kept_values import KeptValues
from spmd.passes.splitting.private_arrays import (
    fail_about_unmovable,
    lift_private_array,
)
from spmd.passes.splitting.sizes_at_head import SizesAtHead
from spmd.passes.splitting.sub_cfg_code import Memory, SubCfgCode
from spmd.passes.work_item_loops.building import WorkGroup, explain, load, named, store

NEXT_SYNC = "tells which barrier the work-group comes to next"
"""Why there is a cell that no value of the kernel is in."""

THE_END = 0
"""The number of the end of the kernel; syncs count from 1."""


def make_continuations(kernel: KernelOp, check: bool = False) -> None:
    """
    Replace the barriers of `kernel` by continuations.

    With `check`, work-items that come to different syncs end the launch.
    """
    flatten_control_flow(kernel)
    group = WorkGroup(kernel)
    for op in tuple(kernel.walk()):
        if isinstance(op, LocalAllocOp):
            group.move_to_head(op)
    divergence = analyze_kernel(kernel)
    once = _ops_that_run_once(group, divergence)
    cfg = _split_at_syncs(kernel)
    rounds = find_loop_rounds(cfg, divergence)
    _fail_about_lanes(rounds)
    sub_cfgs = find_sub_cfgs(cfg)

    def find_needs() -> tuple[SubCfgValues, SubCfgNeeds]:
        at_head = (op for op in group.head() if not isinstance(op, LocalIdOp))
        places = SubCfgValues(cfg, divergence, rounds, once.union(at_head))
        needs = find_sub_cfg_needs(places, sub_cfgs)
        fail_about_unmovable(needs.values.unmovable)
        return places, needs

    def compared(places: SubCfgValues) -> frozenset[SubCfg] | None:
        if not check:
            return None
        return frozenset(s for s in sub_cfgs if places.may_diverge(s))

    places, needs = find_needs()
    if needs.values.private:
        sizes = SizesAtHead(group.entry, places)
        arrays = [
            lift_private_array(group, alloca, sizes.find)
            for alloca in needs.values.private
        ]
        once = once.union(sizes.place([op for array in arrays for op in array.ops]))
        places, needs = find_needs()
        _Dispatcher(group, places, sub_cfgs, needs, compared(places)).write()
        for array in arrays:
            array.free_at_end_of(group.entry)
    else:
        _Dispatcher(group, places, sub_cfgs, needs, compared(places)).write()


def _ops_that_run_once(
    group: WorkGroup, divergence: Divergence
) -> frozenset[Operation]:
    """What runs once per work-group, in front of all else."""
    regions = find_barrier_regions(group.kernel, divergence)
    once: list[Operation] = []
    for op in group.entry.ops:
        if is_sync(op) or op.has_trait(IsTerminator):
            break
        if regions.region_of(op) is None:
            once.append(op)
    return frozenset(once)


def _fail_about_lanes(rounds: LoopRounds) -> None:
    """
    Refuse sub-group operations where lanes may be in different rounds of a loop.

    What runs between two barriers runs in all lanes at once, but the language brings only
    lanes together that are in the same iteration of every loop.
    """
    for block, branch in rounds.out_of_step.items():
        for op in block.walk():
            if not needs_sub_groups(op) or isinstance(op, SubGroupQueryOp | BarrierOp):
                continue
            where = source_location(branch)
            fail(
                op,
                f"expected {op.name} where the lanes of a sub-group are in the same round "
                "of every loop, got it in a loop in which work-items can come to one "
                "barrier in different rounds, as they go different ways at its condition"
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


class _Dispatcher:
    """Writes the sub-CFGs, and what decides which one runs next."""

    def __init__(
        self,
        group: WorkGroup,
        places: SubCfgValues,
        sub_cfgs: tuple[SubCfg, ...],
        needs: SubCfgNeeds,
        compared: frozenset[SubCfg] | None,
    ):
        """
        Where the group comes to behind the sub-CFGs `compared` is checked.

        `None`: nothing is checked at all.
        """
        self.group = group
        self.compared = compared or frozenset()
        self.places = places
        self.needs = needs
        self.of_sync = {sub_cfg.sync: sub_cfg for sub_cfg in sub_cfgs}
        self._original = tuple(group.entry.ops)
        check = compared is not None
        self.memory = _make_memory(group, sub_cfgs, places, needs, check)
        self.following = {s: self._following(s) for s in sub_cfgs}
        self.codes: dict[Operation | None, int] = {None: THE_END}
        for number, sync in enumerate(s.sync for s in sub_cfgs[1:]):
            self.codes[sync] = number + 1
        self._callers: dict[SubCfg | None, int] = {}
        for nexts in self.following.values():
            for sub_cfg in nexts:
                self._callers[sub_cfg] = self._callers.get(sub_cfg, 0) + 1
        self._next: SSAValue | None = None
        self._nexts: SSAValue | None = None
        self._names = places_of([sync for sync in self.codes if sync is not None])

    def _following(self, sub_cfg: SubCfg) -> tuple[SubCfg | None, ...]:
        """What can run behind `sub_cfg`; `None` is the end."""
        ends = (end_of(block) for block in sub_cfg.ends)
        return tuple(
            dict.fromkeys(self.of_sync[e] if is_sync(e) else None for e in ends)
        )

    def write(self) -> None:
        """Replace all of the kernel but what runs once."""
        out = Block()
        last = ReturnOp()
        locate(last, self.group.kernel)
        out.add_op(last)
        current = next(iter(self.of_sync.values()))
        while True:
            code = self._write_sub_cfg(current, last)
            following = self._only_successor(current)
            if following is None:
                break
            current = following
        if code is not None:
            self._write_loop(current, code, last)
        self._replace_kernel(out)

    def _only_successor(self, sub_cfg: SubCfg) -> SubCfg | None:
        """What always follows on `sub_cfg`, and on nothing else."""
        nexts = self.following[sub_cfg]
        if len(nexts) == 1 and nexts[0] is not None and self._callers[nexts[0]] == 1:
            return nexts[0]
        return None

    def _write_sub_cfg(self, sub_cfg: SubCfg, anchor: Operation) -> SSAValue | None:
        """
        Write `sub_cfg` in front of `anchor`.

        The number of what runs next; `None` if that is the end, or written behind.
        """
        given = None
        if sub_cfg.sync is not None and is_group_collective(sub_cfg.sync):
            given = self._expand(sub_cfg.sync, anchor)
        code = SubCfgCode(
            self.group,
            self.places,
            self.needs,
            self.memory,
            sub_cfg,
            anchor,
            given,
        )
        nexts = self.following[sub_cfg]
        if len(nexts) < 2:
            code.write(None, {})
            if not nexts or nexts[0] is None or self._only_successor(sub_cfg):
                return None
            return self.group.constants.index(self.codes[nexts[0].sync])
        if sub_cfg in self.compared:
            code.write(self._each_next(), self.codes)
            reached = self._agreed_code(sub_cfg, self._each_next(), anchor)
            following = arith.IndexCastOp(reached, IndexType())
        else:
            code.write(self._next_of_all(), self.codes)
            following = memref.LoadOp.get(self._next_of_all(), ())
        insert_before(anchor, following)
        return hint(following.results[0], "following")

    def _next_of_all(self) -> SSAValue:
        """Where the work-group keeps which sync it comes to next."""
        if self._next is None:
            cell = self.group.uniform_slot(IndexType(), "next_sync", self.group.kernel)
            self._next = explain(cell, NEXT_SYNC)
        return self._next

    def _each_next(self) -> SSAValue:
        """The same for each work-item, where that is checked."""
        if self._nexts is None:
            context = self.group.array(i32, "next_syncs", self.group.kernel)
            self._nexts = explain(context, COMPARED)
        return self._nexts

    def _agreed_code(
        self, sub_cfg: SubCfg, reached: SSAValue, anchor: Operation
    ) -> SSAValue:
        """Compare what all work-items of `sub_cfg` came to."""
        nexts = (s.sync for s in self.following[sub_cfg] if s is not None)
        syncs = [sync for sync in nexts if sync is not None]
        # The message is about the sync, if there is only one; its place is that then.
        like = syncs[0] if len(syncs) == 1 else sub_cfg.sync or self.group.kernel
        words = ["is elsewhere"] * (max(self.codes[sync] for sync in syncs) + 1)
        words[THE_END] = "came to the end of the kernel"
        for sync in syncs:
            name = sync.name if len(syncs) == 1 else self._names[sync]
            words[self.codes[sync]] = f"waits at {name}"
        code = agreed_value(self.group, reached, choice(words), anchor, like)
        return hint(code, "reached")

    def _expand(self, sync: Operation, anchor: Operation) -> SSAValue | None:
        """Compute a collective, for which all values are there."""
        operands: dict[SSAValue, SSAValue] = {}
        for number, operand in enumerate(sync.operands):
            if (memory := self.memory.operands.get((sync, number))) is None:
                continue
            if memory in self.memory.compared:
                did = f"has {{}} as the index of {sync.name}"
                value = agreed_value(self.group, memory, did, anchor, sync)
                hint(value, operand)
            else:
                op = load(memory, (), operand)
                insert_before(anchor, op)
                value = op.res
            operands[operand] = value
        clone = sync.clone(operands)
        insert_before(anchor, clone)
        kept = self.memory.kept
        output = kept.context_of(sync.results[0])
        given = expand_collective(clone, self.group, kept.input_of(sync), output)
        parent_block(clone).erase_op(clone)
        if given is not None and (slot := kept.uniform.get(sync.results[0])):
            insert_before(anchor, store(given, slot, (), sync))
        return given

    def _write_loop(self, behind: SubCfg, code: SSAValue, anchor: Operation) -> None:
        """Write all that can run behind `behind`, in a loop that begins with `code`."""
        index = IndexType()
        before = Block(arg_types=[index])
        hint(before.args[0], "next")
        the_end = self.group.constants.index(THE_END)
        more = arith.CmpiOp(before.args[0], the_end, "ne")
        hint(more.result, "more")
        before.add_ops((more, scf.ConditionOp(more, before.args[0])))
        body = Block(arg_types=[index])
        hint(body.args[0], "sync")
        end = scf.YieldOp(body.args[0])
        body.add_op(end)
        heads = self._heads(behind)
        if len(heads) == 1:
            end.operands = (self._write_chain(heads[0], end),)
        else:
            switch = self._switch(heads, body.args[0])
            body.insert_op_before(switch, end)
            end.operands = (switch.results[0],)
        loop = scf.WhileOp((code,), (index,), Region(before), Region(body))
        insert_before(anchor, loop)

    def _heads(self, behind: SubCfg) -> Sequence[SubCfg]:
        """What can run behind `behind` and does not always follow on one other."""
        found: dict[SubCfg, None] = {}
        open_ = [s for s in self.following[behind] if s is not None]
        while open_:
            sub_cfg = open_.pop()
            if sub_cfg not in found:
                found[sub_cfg] = None
                open_.extend(s for s in self.following[sub_cfg] if s is not None)
        written_behind = {self._only_successor(sub_cfg) for sub_cfg in found}
        heads = (sub_cfg for sub_cfg in found if sub_cfg not in written_behind)
        return sorted(heads, key=lambda head: self.codes[head.sync])

    def _switch(self, heads: Sequence[SubCfg], sync: SSAValue) -> scf.IndexSwitchOp:
        cases: list[Region] = []
        for head in heads:
            block = Block()
            end = scf.YieldOp(sync)
            block.add_op(end)
            end.operands = (self._write_chain(head, end),)
            cases.append(Region(block))
        numbers = [self.codes[head.sync] for head in heads]
        the_end = self.group.constants.index(THE_END)
        switch = scf.IndexSwitchOp(
            sync,
            DenseArrayBase.from_list(i64, numbers),
            Region(Block([scf.YieldOp(the_end)])),
            cases,
            [IndexType()],
        )
        locate(switch, self.group.kernel)
        return switch

    def _write_chain(self, head: SubCfg, anchor: Operation) -> SSAValue:
        """Write `head` and what always follows; the number of what runs then."""
        current = head
        while True:
            code = self._write_sub_cfg(current, anchor)
            following = self._only_successor(current)
            if following is None:
                break
            current = following
        return self.group.constants.index(THE_END) if code is None else code

    def _replace_kernel(self, out: Block) -> None:
        """Let `out` follow on what runs once, in the place of all other blocks."""
        entry, body = self.group.entry, self.group.kernel.body
        garbage = [Block(), *tuple(body.blocks)[1:]]
        for op in self._original:
            if not (op.results and self.places.is_once(op.results[0])):
                op.detach()
                garbage[0].add_op(op)
        for block in garbage[1:]:
            body.detach_block(block)
        for block in garbage:
            block.erase(safe_erase=False)
        for op in tuple(out.ops):
            op.detach()
            entry.add_op(op)


def _make_memory(
    group: WorkGroup,
    sub_cfgs: tuple[SubCfg, ...],
    places: SubCfgValues,
    needs: SubCfgNeeds,
    check: bool,
) -> Memory:
    """Group memory for all values that live longer than a sub-CFG."""
    slots = assign_sub_cfg_slots(needs, sub_cfgs)
    kept = KeptValues.allocate(group, needs.values, slots, "the same in all work-items")
    operands: dict[tuple[Operation, int], SSAValue] = {}
    compared: set[SSAValue] = set()
    for sync in (s.sync for s in sub_cfgs):
        if sync is None or not is_group_collective(sync):
            continue
        for number, operand in enumerate(sync.operands):
            if places.is_once(operand) or (number == 0 and sync in slots.inputs):
                continue
            if number > 0 and check:
                context = group.array(operand.type, named(operand, "context"), sync)
                operands[sync, number] = explain(context, COMPARED)
                compared.add(context)
            else:
                slot = group.uniform_slot(operand.type, named(operand, "cell"), sync)
                operands[sync, number] = explain(slot, f"goes into {sync.name}")
    return Memory(kept, operands, compared)
