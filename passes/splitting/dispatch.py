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
from xdsl.rewriter import Rewriter

from spmd.analysis.barriers.sub_cfg_order import THE_END
from spmd.analysis.barriers.sub_cfgs import SubCfg
from spmd.dialects.building import Builder
from spmd.dialects.interfaces.cached import cached_property
from spmd.dialects.rewriting import hint
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
        self.at = Builder.at_end(Block(), plan.group.kernel)

    def write(self) -> None:
        """Replace all of the kernel but what runs once."""
        reached = self._write_chain(self.order.first)
        if reached is not None:
            *_, end = self.order.chain(self.order.first)
            self._write_loop(end, reached)
        self.at.append(ReturnOp())
        self._replace_kernel(self.at.point.block)

    def _write_chain(self, head: SubCfg) -> SSAValue | None:
        """Write `head` and what always follows; the number of what runs then, if any."""
        reached = None
        for sub_cfg in self.order.chain(head):
            reached = self._write_sub_cfg(sub_cfg)
        return reached

    def _write_sub_cfg(self, sub_cfg: SubCfg) -> SSAValue | None:
        """
        Write `sub_cfg`.

        The number of what runs next; `None` if that is the end, or written after it.
        """
        given = None
        if sub_cfg.sync is not None and is_group_collective(sub_cfg.sync):
            given = self._expand(sub_cfg.sync)
        code = SubCfgCode(self.plan, sub_cfg, self.at, given)
        nexts = self.order.following[sub_cfg]
        if len(nexts) < 2:
            code.write(None)
            if not nexts or nexts[0] is None or self.order.only_successor(sub_cfg):
                return None
            return self.group.constants.index(self.order.number[nexts[0].sync])
        if sub_cfg in self.plan.compared:
            code.write(self._nexts)
            reached = self._agreed_code(sub_cfg, self._nexts)
            following = arith.IndexCastOp(reached, IndexType())
        else:
            code.write(self._next)
            following = memref.LoadOp.get(self._next, ())
        return self.at.add(following, "following")

    @cached_property
    def _next(self) -> SSAValue:
        """Where the work-group keeps which sync it comes to next."""
        slot = self.group.uniform_slot(IndexType(), "next_sync", self.group.kernel)
        return explain(slot, NEXT_SYNC)

    @cached_property
    def _nexts(self) -> SSAValue:
        """The same for each work-item, where that is checked."""
        context = self.group.array(i32, "next_syncs", self.group.kernel)
        return explain(context, COMPARED)

    def _agreed_code(self, sub_cfg: SubCfg, reached: SSAValue) -> SSAValue:
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
        code = agreed_value(self.group, reached, choice(words), self.at, like)
        return hint(code, "reached")

    def _expand(self, sync: Operation) -> SSAValue | None:
        """Compute a collective, for which all values are there."""
        operands: dict[SSAValue, SSAValue] = {}
        for number, operand in enumerate(sync.operands):
            if (memory := self.plan.operands.get((sync, number))) is None:
                continue
            if number > 0 and self.plan.check:
                did = f"has {{}} as the index of {sync.name}"
                value = agreed_value(self.group, memory, did, self.at, sync)
                operands[operand] = hint(value, operand)
            else:
                operands[operand] = self.at.add(load(memory, (), operand))
        clone = sync.clone(operands)
        self.at.append(clone)
        kept = self.plan.kept
        output = kept.contexts.get(sync.results[0])
        given = expand_collective(clone, self.group, kept.input_of(sync), output)
        Rewriter.erase_op(clone)
        if given is not None and (slot := kept.uniform.get(sync.results[0])):
            self.at.append(store(given, slot, (), sync))
        return given

    def _write_loop(self, last: SubCfg, code: SSAValue) -> None:
        """Write all that can run after `last`, in a loop that begins with `code`."""
        index = IndexType()
        before, body = Block(arg_types=[index]), Block(arg_types=[index])
        hint(body.args[0], "sync")
        with self.at.into(before):
            next_ = hint(before.args[0], "next")
            more = arith.CmpiOp(next_, self.group.constants.index(THE_END), "ne")
            self.at.append(scf.ConditionOp(self.at.add(more, "more"), next_))
        heads = self.order.heads_after(last)
        if len(heads) == 1:
            self._write_to_end(heads[0], body)
        else:
            with self.at.into(body):
                self.at.append(scf.YieldOp(self._switch(heads, body.args[0])))
        self.at.append(scf.WhileOp((code,), (index,), Region(before), Region(body)))

    def _switch(self, heads: Sequence[SubCfg], sync: SSAValue) -> SSAValue:
        """Write a case for each of `heads`; the number of what runs next."""
        numbers = [self.order.number[head.sync] for head in heads]
        the_end = self.group.constants.index(THE_END)
        switch = scf.IndexSwitchOp(
            sync,
            DenseArrayBase.from_list(i64, numbers),
            Region(Block([scf.YieldOp(the_end)])),
            [Region(self._write_to_end(head, Block())) for head in heads],
            [IndexType()],
        )
        return self.at.add(switch)

    def _write_to_end(self, head: SubCfg, block: Block) -> Block:
        """Write what `head` begins to `block`; it ends with the number of what runs next."""
        with self.at.into(block):
            reached = self._write_chain(head)
            if reached is None:
                reached = self.group.constants.index(THE_END)
            self.at.append(scf.YieldOp(reached))
        return block

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
        Builder.at_end(entry).move(out.ops)
