"""The walk over a sub-group's body: loops over lanes between what lanes do together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.analysis.divergence.analyze import Divergence, analyze_sub_group
from spmd.dialects.building import Rematerializer
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import (
    block_arguments,
    function_around,
    is_outside,
    is_terminator,
    terminator,
)
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import LaneIdOp, MaskedOp, Scope, SubGroupOp, convergence_of
from spmd.passes.lane_loops.collectives import write_collective
from spmd.passes.lane_loops.writer import LaneWriter
from spmd.passes.sub_groups.vectorization_legality import is_item_type

Active = tuple[SSAValue, ...]
"""Masks that all hold in the active lanes."""


def write_lane_loops(group: SubGroupOp) -> None:
    """Replace `group` by scalar code."""
    entry = function_around(group).body.block
    loops = _LaneLoops(group, analyze_sub_group(group), entry)
    loops.write(group.body.block, ())
    Rewriter.inline_block(loops.body, InsertPoint.before(group))
    Rewriter.erase_op(group)


class _LaneLoops(LaneWriter):
    def __init__(self, group: SubGroupOp, divergence: Divergence, entry: Block):
        super().__init__(group, divergence, entry)
        self._masks: dict[SSAValue, Active] = {}
        """The masks of the lanes that have a value; all lanes have what is not in it."""

    def write(self, block: Block, active: Active) -> None:
        """Write all ops of `block` but the terminator."""
        run: list[Operation] = []
        for op in block.ops:
            if is_terminator(op):
                break
            if _runs_alone(op):
                run.append(op)
                continue
            self._write_run(run, active)
            run = []
            if convergence_of(op) is Scope.SUB_GROUP:
                write_collective(self, op, active)
            else:
                self._write_together(op, active)
        self._write_run(run, active)

    # What each lane does by itself

    def _write_run(self, run: Sequence[Operation], active: Active) -> None:
        """One loop over the lanes for neighbouring ops."""
        if not run:
            return
        members = set[Operation | Block](inner for op in run for inner in op.walk())
        members |= {each.block for op in run for each in block_arguments(op)}
        kept = _kept(run, members)
        self.stands_for(run[0])
        with self.each_lane() as (lane, _, _), self.where(self.on(active, lane)):
            before = Rematerializer(self, lambda value: self._before_loop(value, lane))
            for op in run:
                for inner in op.walk():
                    for operand in inner.operands:
                        if operand.owner not in members:
                            before.get(operand)
            mapping = before.values
            for op in run:
                self._write_op(op, lane, mapping)
                self._note_masks(op)
            for value in kept:
                self._keep_of_run(value, mapping[value], lane)

    def _keep_of_run(self, value: SSAValue, number: SSAValue, lane: SSAValue) -> None:
        """Keep what `lane` has of `value`; what lanes share, only if `lane` has it."""
        masks = self._masks.pop(value, ()) if self.slot(value).shared else ()
        with self.where(self.on(masks, lane)):
            self.keep(value, number, lane)

    def _note_masks(self, op: Operation) -> None:
        """
        Say which lanes have what `op`, of a run, computes: those of all of its operands.

        Inactive lanes have nothing of what comes out of a mask. What is computed from it
        outside of the mask may still be known to be the same in all lanes that have it:
        the distance of two values that go up from lane to lane.
        """
        masks = _union(self._masks.get(operand, ()) for operand in op.operands)
        for result in op.results:
            if masks:
                self._masks[result] = masks
        if not isinstance(op, MaskedOp):
            return
        for inner in op.body.block.ops:
            self._note_masks(inner)
        self._note_results(op)

    def _note_results(self, op: MaskedOp) -> None:
        for result, value in zip(
            op.res, terminator(op.body.block).operands, strict=True
        ):
            masks = self._masks.get(value, ())
            self._masks[result] = masks if op.old else _union([masks, (op.mask,)])

    def _before_loop(self, value: SSAValue, lane: SSAValue) -> SSAValue | None:
        """What `lane` has of a value from before a loop; arrays are rematerialized."""
        if is_outside(value, self.group):
            return value
        if not isinstance(value.type, MemRefType):
            return self.at(value, lane)
        owner = value.owner
        if isinstance(owner, memref.AllocaOp):
            return self.private(owner, lane)
        if not isinstance(owner, Operation) or owner.regions:
            fail(
                owner if isinstance(owner, Operation) else self.group,
                "expected arrays whose place follows from where the sub-group "
                "stands, got one that comes out of control flow",
            )
        return None

    def _write_op(
        self, op: Operation, lane: SSAValue, mapping: dict[SSAValue, SSAValue]
    ) -> None:
        self.stands_for(op)
        match op:
            case LaneIdOp():
                mapping[op.result] = lane
            case memref.AllocaOp():
                mapping[op.memref] = self.private(op, lane)
            case MaskedOp():
                self._write_masked_run(op, lane, mapping)
            case _:
                new = op.clone(mapping)
                self.append(new)
                for old, result in zip(op.results, new.results, strict=True):
                    hint(result, old)

    def _write_masked_run(
        self, op: MaskedOp, lane: SSAValue, mapping: dict[SSAValue, SSAValue]
    ) -> None:
        then = Block()
        with self.into(then):
            for inner in op.body.block.ops:
                if not is_terminator(inner):
                    self._write_op(inner, lane, mapping)
            end = terminator(op.body.block)
            self.append(scf.YieldOp(*(mapping.get(v, v) for v in end.operands)))
        otherwise = None
        if op.res:
            old = (
                [mapping.get(value, value) for value in op.old]
                if op.old
                else [self._nothing(result.type, op) for result in op.res]
            )
            otherwise = Region(Block([scf.YieldOp(*old)]))
        mask = mapping.get(op.mask, op.mask)
        new = scf.IfOp(mask, op.res.types, Region(then), otherwise)
        self.append(new)
        for old_result, result in zip(op.res, new.results, strict=True):
            mapping[old_result] = hint(result, old_result)

    def _nothing(self, type_: Attribute, op: Operation) -> SSAValue:
        """A value for inactive lanes."""
        if not is_item_type(type_):
            fail(
                op, f"expected numbers or vectors out of code under a mask, got {type_}"
            )
        return self.constants.zero(type_)

    # What lanes do together

    def _write_together(self, op: Operation, active: Active) -> None:
        self.stands_for(op)
        match op:
            case MaskedOp():
                self._write_masked(op, active)
            case memref.AllocaOp():
                self.make_room(op)
            case scf.IfOp():
                self._write_if(op, active)
            case scf.IndexSwitchOp():
                self._write_switch(op, active)
            case scf.ForOp():
                self._write_for(op, active)
            case scf.WhileOp():
                self._write_while(op, active)
            case _:
                fail(
                    op,
                    f"expected structured control flow in a sub-group, got {op.name}",
                )

    def _write_masked(self, op: MaskedOp, active: Active) -> None:
        """A mask around something that lanes do together."""
        inner = (*active, op.mask)
        self.write(op.body.block, inner)
        end = terminator(op.body.block)
        if not op.res:
            return
        self._note_results(op)
        with self.each_lane() as (lane, _, _), self.where(self.on(active, lane)):
            mask = self.at(op.mask, lane)
            with self.where(mask):
                for result, value in zip(op.res, end.operands, strict=True):
                    self.keep(result, self.at(value, lane), lane)
            if op.old:
                off = self.add(arith.XOrIOp(mask, self.constants.bit(True)))
                with self.where(off):
                    for result, value in zip(op.res, op.old, strict=True):
                        self.keep(result, self.at(value, lane), lane)

    def _write_into(
        self,
        target: Block,
        source: Block,
        results: Sequence[SSAValue],
        op: Operation,
        active: Active,
    ) -> Region:
        """`source`, a block of `op`, as `target`; what it yields becomes `results`."""
        with self.into(target):
            self.write(source, active)
            self.copy(terminator(source).operands, results, op)
            self.append(scf.YieldOp())
        return Region(target)

    def _branches(
        self, op: Operation, regions: Sequence[Region], active: Active
    ) -> list[Region]:
        """Those of `regions` one of which gives `op` its results."""
        self._share_results(op, regions)
        return [
            self._write_into(Block(), region.block, op.results, op, active)
            for region in regions
        ]

    def _share_results(self, op: Operation, regions: Sequence[Region]) -> None:
        """One place for a result only if all branches have one for what they yield."""
        for number, result in enumerate(op.results):
            uniform = self.divergence.is_uniform(result)
            for region in regions:
                end = terminator(region.block)
                value = end.operands[number]
                uniform = uniform and (
                    is_outside(value, self.group) or self.divergence.is_uniform(value)
                )
            self.slot(result, uniform)

    def _write_if(self, op: scf.IfOp, active: Active) -> None:
        condition = self.once(op.cond, op)
        regions = [region for region in op.regions if region.blocks]
        then, *otherwise = self._branches(op, regions, active)
        self.append(scf.IfOp(condition, [], then, otherwise[0] if otherwise else None))

    def _write_switch(self, op: scf.IndexSwitchOp, active: Active) -> None:
        number = self.once(op.arg, op)
        default, *cases = self._branches(op, op.regions, active)
        self.append(scf.IndexSwitchOp(number, op.cases, default, cases, []))

    def _write_for(self, op: scf.ForOp, active: Active) -> None:
        low, high, step = (self.once(value, op) for value in (op.lb, op.ub, op.step))
        counter, *carried = op.body.block.args
        self.copy(op.iter_args, carried, op)
        body = Block(arg_types=[counter.type])
        self.scalars[counter] = hint(body.args[0], counter)
        region = self._write_into(body, op.body.block, carried, op, active)
        self.append(scf.ForOp(low, high, step, (), region))
        self.copy(carried, op.results, op)

    def _write_while(self, op: scf.WhileOp, active: Active) -> None:
        test, body = op.before_region.block, op.after_region.block
        self.copy(op.arguments, test.args, op)
        with self.into(Block()) as new_test:
            self.write(test, active)
            condition = test.last_op
            assert isinstance(condition, scf.ConditionOp)
            go_on = self.once(condition.condition, op)
            self.copy([*condition.args] * 2, [*body.args, *op.results], op)
            self.append(scf.ConditionOp(go_on))
        new_body = self._write_into(Block(), body, test.args, op, active)
        self.append(scf.WhileOp([], [], Region(new_test), new_body))


def _union(many: Iterable[Active]) -> Active:
    """Masks that all must hold, each once, in order."""
    return tuple(dict.fromkeys(mask for masks in many for mask in masks))


def _runs_alone(op: Operation) -> bool:
    """Whether a lane runs `op` without looking at others."""
    if isinstance(op, MaskedOp):
        return all(_runs_alone(inner) for inner in op.body.block.ops)
    if isinstance(op, memref.AllocaOp):
        return not op.dynamic_sizes
    if isinstance(op, scf.ParallelOp):
        return not any(convergence_of(each) is Scope.SUB_GROUP for each in op.walk())
    return not op.regions and convergence_of(op) is not Scope.SUB_GROUP


def _kept(run: Sequence[Operation], members: set[Operation | Block]) -> list[SSAValue]:
    """The results of `run` that are asked for later; arrays are rematerialized instead."""
    rematerialized: set[SSAValue] = set()
    kept: list[SSAValue] = []
    for op in reversed(run):
        for result in op.results:
            later = result in rematerialized or any(
                use.operation not in members for use in result.uses
            )
            if not later:
                continue
            if isinstance(result.type, MemRefType):
                if not isinstance(op, memref.AllocaOp):
                    rematerialized.update(op.operands)
            else:
                kept.append(result)
    return kept
