"""
What decides which sub-CFG of a kernel runs next.

What always follows on another sub-CFG is written after it. All others are cases of a switch
in a loop that ends with the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.barriers.sub_cfg_order import THE_END
from spmd.analysis.barriers.sub_cfgs import SubCfg
from spmd.dialects.enclosing import parent_block
from spmd.dialects.rewriting import hint, insert_before, locate
from spmd.dialects.spmd import LocalIdOp, ReturnOp, is_group_collective
from spmd.passes.collectives.group_collectives import expand_collective
from spmd.passes.splitting.convergence_checks import (
    COMPARED,
    agreed_value,
    choice,
    places_of,
)
from spmd.passes.splitting.sub_cfg_code import Plan, SubCfgCode
from spmd.passes.work_item_loops.building import explain, load, store

NEXT_SYNC = "tells which barrier the work-group comes to next"
"""Why there is a group-uniform slot that no value of the kernel is in."""


class Dispatcher:
    """Writes the sub-CFGs, and what decides which one runs next."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.group = plan.group
        self.order = plan.order
        self._next: SSAValue | None = None
        self._nexts: SSAValue | None = None

    def write(self) -> None:
        """Replace all of the kernel but what runs once."""
        out = Block()
        last = ReturnOp()
        locate(last, self.group.kernel)
        out.add_op(last)
        reached = self._write_chain(self.order.first, last)
        if reached is not None:
            *_, end = self.order.chain(self.order.first)
            self._write_loop(end, reached, last)
        self._replace_kernel(out)

    def _write_chain(self, head: SubCfg, anchor: Operation) -> SSAValue | None:
        """Write `head` and what always follows; the number of what runs then, if any."""
        reached = None
        for sub_cfg in self.order.chain(head):
            reached = self._write_sub_cfg(sub_cfg, anchor)
        return reached

    def _write_sub_cfg(self, sub_cfg: SubCfg, anchor: Operation) -> SSAValue | None:
        """
        Write `sub_cfg` in front of `anchor`.

        The number of what runs next; `None` if that is the end, or written behind.
        """
        given = None
        if sub_cfg.sync is not None and is_group_collective(sub_cfg.sync):
            given = self._expand(sub_cfg.sync, anchor)
        code = SubCfgCode(self.plan, sub_cfg, anchor, given)
        nexts = self.order.following[sub_cfg]
        if len(nexts) < 2:
            code.write(None)
            if not nexts or nexts[0] is None or self.order.only_successor(sub_cfg):
                return None
            return self.group.constants.index(self.order.number[nexts[0].sync])
        if sub_cfg in self.plan.compared:
            code.write(self._each_next())
            reached = self._agreed_code(sub_cfg, self._each_next(), anchor)
            following = arith.IndexCastOp(reached, IndexType())
        else:
            code.write(self._next_of_all())
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
        nexts = (s.sync for s in self.order.following[sub_cfg] if s is not None)
        syncs = [sync for sync in nexts if sync is not None]
        # The message is about the sync, if there is only one; its place is that then.
        like = syncs[0] if len(syncs) == 1 else sub_cfg.sync or self.group.kernel
        number = self.order.number
        names = places_of([sync for sync in number if sync is not None])
        words = ["is elsewhere"] * (max(number[sync] for sync in syncs) + 1)
        words[THE_END] = "came to the end of the kernel"
        for sync in syncs:
            name = sync.name if len(syncs) == 1 else names[sync]
            words[number[sync]] = f"waits at {name}"
        code = agreed_value(self.group, reached, choice(words), anchor, like)
        return hint(code, "reached")

    def _expand(self, sync: Operation, anchor: Operation) -> SSAValue | None:
        """Compute a collective, for which all values are there."""
        operands: dict[SSAValue, SSAValue] = {}
        for number, operand in enumerate(sync.operands):
            if (memory := self.plan.operands.get((sync, number))) is None:
                continue
            if number > 0 and self.plan.check:
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
        kept = self.plan.kept
        output = kept.contexts.get(sync.results[0])
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
        heads = self.order.heads_after(behind)
        if len(heads) == 1:
            end.operands = (self._write_to_end(heads[0], end),)
        else:
            switch = self._switch(heads, body.args[0])
            body.insert_op_before(switch, end)
            end.operands = (switch.results[0],)
        loop = scf.WhileOp((code,), (index,), Region(before), Region(body))
        insert_before(anchor, loop)

    def _switch(self, heads: Sequence[SubCfg], sync: SSAValue) -> scf.IndexSwitchOp:
        cases: list[Region] = []
        for head in heads:
            block = Block()
            end = scf.YieldOp(sync)
            block.add_op(end)
            end.operands = (self._write_to_end(head, end),)
            cases.append(Region(block))
        numbers = [self.order.number[head.sync] for head in heads]
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

    def _write_to_end(self, head: SubCfg, anchor: Operation) -> SSAValue:
        """The same, where the end of the kernel has a number too."""
        reached = self._write_chain(head, anchor)
        return self.group.constants.index(THE_END) if reached is None else reached

    def _replace_kernel(self, out: Block) -> None:
        """Let `out` follow on what runs once, in the place of all other blocks."""
        entry, body = self.group.entry, self.group.kernel.body
        garbage = [Block(), *tuple(body.blocks)[1:]]
        head = set(self.group.head())
        for op in tuple(entry.ops):
            stays = op in head or (
                op.results and self.plan.values.is_once(op.results[0])
            )
            if not stays or isinstance(op, LocalIdOp):
                op.detach()
                garbage[0].add_op(op)
        for block in garbage[1:]:
            body.detach_block(block)
        for block in garbage:
            block.erase(safe_erase=False)
        for op in tuple(out.ops):
            op.detach()
            entry.add_op(op)
