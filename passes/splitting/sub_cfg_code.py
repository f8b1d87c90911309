"""
The work-item loops of one sub-CFG: what all work-items run from one sync to the next.

The blocks of the sub-CFG are copied and made structured (`structurize-control-flow`), which
works for cycles that are entered in several places too: a barrier in a loop is another
begin of it. What a work-item comes to is one value at the end, which it stores.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.barriers.sub_cfg_order import SubCfgOrder
from spmd.analysis.barriers.sub_cfgs import SubCfg
from spmd.analysis.contexts.sub_cfg_needs import (
    Reaches,
    SubCfgNeeds,
    SubCfgValues,
    is_given_by,
    reaches,
)
from spmd.dialects.building import Builder, Rematerializer
from spmd.dialects.enclosing import is_terminator, terminator, used_from_outside
from spmd.dialects.rewriting import hint, locate
from spmd.dialects.spmd import LocalIdOp, is_sync
from spmd.passes.splitting.kept_values import EntryValues, KeptValues
from spmd.passes.structuring.structurize import structurize
from spmd.passes.structuring.values import Pool
from spmd.passes.work_item_loops.building import WorkGroup, load, store


@dataclass(frozen=True)
class Plan:
    """All that is decided about a kernel before the first of its sub-CFGs is written."""

    group: WorkGroup
    values: SubCfgValues
    needs: SubCfgNeeds
    kept: KeptValues
    operands: Mapping[tuple[Operation, int], SSAValue]
    """
    The group-uniform slot with an operand of a collective that all work-items agree on, or,
    with `check`, the context where each work-item keeps its own.
    """

    order: SubCfgOrder
    check: bool
    """Whether what work-items have to agree on is compared."""

    compared: Container[SubCfg]
    """Where the group comes to after these is compared."""


class SubCfgCode:
    """
    Writes the loops of one sub-CFG.

    `given` is the result of the collective before it.
    """

    def __init__(
        self, plan: Plan, sub_cfg: SubCfg, at: Builder, given: SSAValue | None
    ):
        self.plan = plan
        self.sub_cfg = sub_cfg
        self.at = at
        self.given = given
        self.nest = plan.group.nest(sub_cfg.sync or terminator(sub_cfg.start))
        self._entry = EntryValues(plan.kept, self.nest, self._known_outside)
        self._defined: dict[SSAValue, SSAValue] = {}
        self._same: dict[SSAValue, SSAValue] = {}
        """From what is defined again to what it was when the sub-CFG began."""

        self._joined = plan.needs.joined.get(sub_cfg, {})

    def write(self, next_: SSAValue | None) -> None:
        """
        Write the loops; they store the number of the sync they come to in `next_`.

        That is a group-uniform slot, or a context if each work-item is to say it.
        """
        # Before anything is written: what is defined again has another value then.
        for value in self.plan.needs.values.entered.get(self.sub_cfg, ()):
            self._entry.get(value)
        self._write_blocks(next_)
        if self.nest.body.first_op is not None:
            self.nest.place(self.at.point)

    # Values.

    def _known_outside(self, value: SSAValue) -> SSAValue | None:
        """What `value` is called outside of the loops, if it is known there."""
        if self.plan.values.is_once(value):
            return value
        if is_given_by(value, self.sub_cfg):
            assert self.given is not None, "a collective has a result"
            return self.given
        if (slot := self.plan.kept.uniform.get(value)) is not None:
            return self.at.add(load(slot, (), value))
        return None

    def _known_in(self, block: Block, body: Block) -> dict[SSAValue, SSAValue]:
        """The values from elsewhere that `block` uses; `body` is what becomes of it."""

        def find(value: SSAValue) -> SSAValue | None:
            if isinstance(value.owner, LocalIdOp) or self.plan.values.is_once(value):
                return self._entry.get(value)
            how = reaches(value, self.sub_cfg, block)
            if how is Reaches.BY_DEFINITION:
                return self._defined[value]
            if how is Reaches.BY_ENTRY or value in self._joined:
                return self._entry.get(value)
            return None

        known = Rematerializer(Builder.at_end(body), find)
        for value in used_from_outside(block):
            known.get(value)
        return known.values

    def _define(
        self, value: SSAValue, new: SSAValue, body: Block, like: Operation
    ) -> None:
        """Note that `value` is `new` from here on, and keep it where it is needed later."""
        self._defined[value] = new
        self.plan.kept.store(value, new, self.nest, body, like)
        if value in self._joined:
            self._same[new] = self._entry.get(value)

    # Code.

    def _write_block(self, block: Block, body: Block) -> dict[SSAValue, SSAValue]:
        """Write all of `block` but its end; the values that the end may use."""
        known = self._known_in(block, body)
        end = terminator(block)
        for argument in block.args:
            if argument in self._defined:
                known[argument] = self._defined[argument]
        for op in block.ops:
            if isinstance(op, LocalIdOp):
                known[op.result] = self._entry.get(op.result)
                continue
            if op is end:
                continue
            if op.results and self.plan.values.is_once(op.results[0]):
                continue
            body.add_op(op.clone(known))
            for result in op.results:
                self._define(result, known[result], body, op)
        if is_sync(end):
            self._write_operands(block, known, body)
        return known

    def _write_operands(
        self, block: Block, known: Mapping[SSAValue, SSAValue], body: Block
    ) -> None:
        """Keep what goes into the collective that ends `block`."""
        sync = terminator(block)

        def find(value: SSAValue) -> SSAValue:
            return known.get(value, value)

        self.plan.kept.store_copies(block, find, self.nest, body, sync)
        for number, operand in enumerate(sync.operands):
            if (slot := self.plan.operands.get((sync, number))) is not None:
                indices = self._element_of(slot)
                body.add_op(store(find(operand), slot, indices, sync))

    def _reached(self, end: Operation, next_: SSAValue) -> SSAValue:
        """The number of the sync, or of the end of the kernel, that was reached."""
        number = self.plan.order.number[end if is_sync(end) else None]
        assert isa(next_.type, MemRefType)
        return self.plan.group.constants.number(number, next_.type.element_type)

    def _element_of(self, memory: SSAValue) -> tuple[SSAValue, ...]:
        """The indices of what a work-item stores to: all to the same, if it is a group-uniform slot."""
        assert isa(memory.type, MemRefType)
        return self.nest.indices if memory.type.get_num_dims() else ()

    def _write_blocks(self, next_: SSAValue | None) -> None:
        # The arguments of the kernel are known without being forwarded.
        passed = {
            block: () if block is self.plan.group.entry else block.args
            for block in self.sub_cfg.blocks
        }
        new = {
            block: Block(arg_types=[argument.type for argument in arguments])
            for block, arguments in passed.items()
        }
        for block, copy in new.items():
            for argument, its in zip(passed[block], copy.args, strict=True):
                hint(its, argument)
                self._define(argument, its, copy, terminator(block))
            known = self._write_block(block, copy)
            end = terminator(block)
            if self.plan.values.cfg.branches(block):
                assert is_terminator(end)
                branch = end.clone(known, dict(new))
            else:
                branch = scf.YieldOp(
                    *(() if next_ is None else (self._reached(end, next_),))
                )
            locate(branch, end)
            copy.add_op(branch)
        like = self.sub_cfg.sync or terminator(self.sub_cfg.start)
        code, reached = structurize(
            Region([*new.values()]), Pool(self.plan.group.entry), same=self._same
        )
        Builder.at_end(self.nest.body).move(code.ops)
        if next_ is not None:
            element = self._element_of(next_)
            self.nest.body.add_op(store(reached[0], next_, element, like))
