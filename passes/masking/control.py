"""Control flow under masks: what happens to each op of a sub-group's body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from sys import maxsize

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.divergence.prefix import compares_ids
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import function_around, is_terminator, terminator
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.rewriting import constant_index, hint, is_poison
from spmd.dialects.spmd import AnyOp, LaneIdOp, MaskedOp, SubGroupOp
from spmd.passes.masking.bounds import uniform_bound
from spmd.passes.masking.conditions import ask_active_lanes, rests_on_ranges
from spmd.passes.masking.counted_loops import mask_divergent_for, with_common_counter
from spmd.passes.masking.loops import mask_divergent_while
from spmd.passes.masking.masked_ops import mask_run
from spmd.passes.masking.masks import Mask, Masks
from spmd.passes.masking.speculation import Skips
from spmd.passes.targets import SKIP_ABOVE, SKIP_IDS_ABOVE


def mask_sub_group(
    group: SubGroupOp,
    divergence: Divergence,
    *,
    skip: bool = True,
    keep_uniform: bool = True,
) -> None:
    """
    Make the control flow of `group` uniform and its lanes all exist.

    The options are those of the pass.
    """
    entry = function_around(group).body.block
    skips = Skips(divergence, IntegerRanges())
    masking = Masking(divergence, ConstantPool(entry), skip, keep_uniform, skips)
    # These are remembered: what masking asks of them later stands in loops that are in parts.
    for op in group.walk():
        if isinstance(op, scf.ForOp):
            for bound in (op.lb, op.ub, op.step):
                masking.ranges.of(bound)
    in_doubt = rests_on_ranges(group, divergence)
    if group.counts:
        masking.mask_existing(group)
    else:
        masking.mask_block(group.body.block, Mask())
    if in_doubt:
        ask_active_lanes(group, masking.kept, masking)


@dataclass(frozen=True)
class Masking(Masks):
    """The rewriting of one sub-group."""

    skip: bool
    keep_uniform: bool
    skips: Skips
    handed_on: dict[SSAValue, SSAValue] = field(
        default_factory=dict[SSAValue, SSAValue], init=False
    )
    """From results of branches to what lanes have that do not come to them."""
    holding: dict[SSAValue, SSAValue] = field(
        default_factory=dict[SSAValue, SSAValue], init=False
    )
    """From what such results became to the values that they have in those lanes."""

    # Blocks

    def mask_existing(self, group: SubGroupOp) -> None:
        """
        Run the whole body in the lanes below the count, and not at all if there is none.

        ```mlir
        spmd.sub_group (%lx) shape [16] at (%first) {
          %lane = spmd.lane_id
          %exists = arith.cmpi slt, %lane, %count : index
          ...
        }
        ```
        """
        counts, rank = tuple(group.counts), len(group.bases)
        block = group.body.block
        end = terminator(block)
        ops = [op for op in block.ops if op is not end]
        exists = self._exists(group, Builder.before(ops[0] if ops else end))
        group.operands = group.bases
        sizes = DenseArrayBase.from_list(i32, [rank, 0])
        group.properties["operandSegmentSizes"] = sizes
        if all((constant_index(count) or 0) > 0 for count in counts):
            self.mask_block(block, Mask(exists, some=True))
            return
        body = Block()
        Builder.at_end(body).move(ops)
        body.add_op(scf.YieldOp())
        self._guarded(body, Mask(exists, some=False), (), end)

    def _exists(self, group: SubGroupOp, at: Builder) -> SSAValue:
        """Whether the lane's place in each dimension is below the count."""
        lane = at.add(LaneIdOp(), "lane")
        exists: SSAValue | None = None
        last = len(group.counts) - 1
        for dim, (count, extent) in enumerate(
            zip(group.counts, group.lane_shape, strict=True)
        ):
            place = lane
            if dim < last:
                lanes = self.constants.index(extent)
                place = at.add(arith.RemUIOp(lane, lanes), "place")
                lane = at.add(arith.DivUIOp(lane, lanes), "row")
            below = at.add(arith.CmpiOp(place, count, "slt"), "exists")
            if exists is None:
                exists = below
            else:
                exists = at.add(arith.AndIOp(exists, below), "exists")
        assert exists is not None, "a sub-group has a dimension"
        return exists

    def mask_block(self, block: Block, mask: Mask) -> None:
        self._mask_ops([op for op in block.ops if not is_terminator(op)], mask)

    def _mask_ops(self, ops: Sequence[Operation], mask: Mask) -> None:
        run: list[Operation] = []
        for op in ops:
            if isinstance(op, memref.AllocaOp) and op.dynamic_sizes:
                mask_run(self, run, mask)
                run = []
                self._mask_sizes(op, mask)
            elif decisions(op):
                mask_run(self, run, mask)
                run = []
                self._mask_control(op, mask)
            else:
                run.append(op)
        mask_run(self, run, mask)

    def _mask_sizes(self, op: memref.AllocaOp, mask: Mask) -> None:
        """Let inactive lanes, whose sizes are garbage, have arrays without elements."""
        for number, size in enumerate(op.dynamic_sizes):
            none = self.constants.zero(size.type)
            op.operands[number] = self.blended(mask, size, none, size, op)

    # Control flow

    def _mask_control(self, op: Operation, mask: Mask) -> None:
        if isinstance(op, MaskedOp):
            narrowed = self.narrowed(mask, op.mask, op).value
            assert narrowed is not None
            op.operands = (narrowed, *op.old)
            return
        if self.keep_uniform and not self.divergence.is_divergent(op):
            common = with_common_counter(self, op)
            if common is not None:
                self._keep(common, mask)
                return
        match op:
            case scf.IfOp():
                self._mask_if(op, mask)
            case scf.IndexSwitchOp():
                self._mask_switch(op, mask)
            case scf.ForOp():
                mask_divergent_for(self, op, mask)
            case scf.WhileOp():
                mask_divergent_while(self, op, mask)
            case _:
                raise AssertionError(f"{op.name} passed why_not_vectorizable")

    def _keep(self, op: Operation, mask: Mask) -> None:
        """All lanes go through `op` together: only what is inside of it is masked."""
        assert mask.some, f"{op.name} runs where no lane may be active"
        self.kept.append((op, mask))
        for region in op.regions:
            for block in region.blocks:
                self.mask_block(block, mask)

    def _mask_if(self, op: scf.IfOp, mask: Mask) -> None:
        """
        One branch after the other; the second takes its old values from the first.

        ```mlir
        // before
        %r = scf.if %c -> (f32) {
          %v = memref.load %x[%i] : memref<?xf32>
          scf.yield %v : f32
        } else {
          scf.yield %old : f32
        }

        // after
        %r = spmd.masked %c -> (f32) {
          %v = memref.load %x[%i] : memref<?xf32>
          spmd.yield %v : f32
        } else %old : f32
        ```
        """
        then = op.true_region.block
        other = op.false_region.blocks.first
        ids = compares_ids(self.divergence, op.cond)
        limit = SKIP_IDS_ABOVE if ids else SKIP_ABOVE
        olds = [self.handed_on.pop(result, None) for result in op.results]
        if other is None or _is_trivial(then) or _is_trivial(other):
            olds = [None] * len(op.results)
        values: Sequence[SSAValue | None] = [*olds]
        then_first = other is None or not _is_trivial(then)
        if then_first:
            if other is not None and _is_trivial(other):
                values = terminator(other).operands
                other = None
            bound = uniform_bound(self, op.cond)
            on = self.narrowed(mask, op.cond, op)
            values = self._branch(then, on, values, op, limit, bound)
        else:
            values = terminator(then).operands
        if other is not None and not (_is_trivial(other) and not op.results):
            on = self.without(mask, op.cond, op)
            values = self._branch(other, on, values, op, limit)
        for value, old in zip(values, olds, strict=True):
            if old is not None:
                self.holding[value] = old
        self._replace(op, values, mask)

    def _mask_switch(self, op: scf.IndexSwitchOp, mask: Mask) -> None:
        """Case after case, each in the lanes that chose it; the rest takes the default."""
        values: Sequence[SSAValue | None] = [None] * len(op.results)
        rest = mask
        for case, region in zip(op.cases.get_values(), op.case_regions, strict=True):
            number = self.constants.number(int(case), IndexType())
            equal = arith.CmpiOp(op.arg, number, "eq")
            chosen = Builder.before(op).add(equal, f"is_{case}")
            on = self.narrowed(mask, chosen, op)
            values = self._branch(region.block, on, values, op)
            rest = self.without(rest, chosen, op)
        default = op.default_region.block
        values = self._branch(default, rest, values, op)
        self._replace(op, values, mask)

    def _branch(
        self,
        block: Block,
        mask: Mask,
        old: Sequence[SSAValue | None],
        anchor: Operation,
        limit: int = SKIP_ABOVE,
        bound: SSAValue | None = None,
    ) -> Sequence[SSAValue]:
        """
        Move `block` before `anchor`, where it runs under `mask`, which implies `bound`.

        Returns what it yields in the lanes of `mask`, and `old` in the others; `None`
        in `old` says that the others need no value.
        """
        limit = limit if self.skip else maxsize
        if not mask.some and self.skips.why_skip(block, limit) is not None:
            return self._guarded(block, mask, old, anchor)
        if bound is not None and self.skips.why_skip(block, SKIP_IDS_ABOVE) is not None:
            return self._guarded(block, mask, old, anchor, bound)
        before = anchor.prev_op
        *ops, end = block.ops
        self._hand_on(end, old)
        # Moved before what is inside of them is: each op moves once, however deep it is.
        Rewriter.inline_block(block, InsertPoint.before(anchor))
        self._mask_ops(ops, mask)
        last = None if end.prev_op is before else end.prev_op
        values = self._blend(end, last, mask, old, anchor)
        Rewriter.erase_op(end)
        return values

    def _guarded(
        self,
        block: Block,
        mask: Mask,
        old: Sequence[SSAValue | None],
        anchor: Operation,
        bound: SSAValue | None = None,
    ) -> Sequence[SSAValue]:
        """
        ```mlir
        %some = spmd.any %active across sub_group
        %r = scf.if %some -> (f32) {
          ...
          scf.yield %v : f32
        } else {
          scf.yield %old : f32
        }
        ```
        """
        assert mask.value is not None, "all lanes need no guard"
        at = Builder.before(anchor)
        some = at.add(AnyOp(mask.value), "some") if bound is None else bound
        end = terminator(block)
        types = end.operand_types
        if block.parent is not None:
            block.parent.detach_block(block)
        otherwise: Region | None = None
        if types:
            fallback = [
                self.constants.zero(type_) if each is None else each
                for each, type_ in zip(old, types, strict=True)
            ]
            otherwise = Region(Block([scf.YieldOp(*fallback)]))
        guard = scf.IfOp(some, types, Region(block), otherwise)
        at.append(guard)
        self._hand_on(end, old)
        if bound is not None:
            self.kept.append((guard, mask))
        self.mask_block(block, replace(mask, some=bound is None))
        end.operands = self._blend(end, end.prev_op, mask, old, anchor)
        for result, name, value, before in zip(
            guard.results, anchor.results, end.operands, old, strict=True
        ):
            hint(result, name)
            if (before is None or is_poison(before)) and self.is_uniform(value):
                self.mark_uniform(result)
        return guard.results

    def _hand_on(self, end: Operation, old: Sequence[SSAValue | None]) -> None:
        """Let `else if` have `old` where lanes do not come to it: one value for all."""
        for value, before in zip(end.operands, old, strict=True):
            if (
                before is not None
                and not is_poison(before)
                and isinstance(value.owner, scf.IfOp)
                and value.owner.parent is end.parent
                and value.has_one_use()
                and not self.divergence.is_uniform(value)
            ):
                self.handed_on[value] = before

    def _blend(
        self,
        end: Operation,
        masked: Operation | None,
        mask: Mask,
        old: Sequence[SSAValue | None],
        op: Operation,
    ) -> list[SSAValue]:
        """
        What `end` of a branch of `op` yields in the lanes of `mask`, and `old` in the others.

        `masked` is the last operation of the branch.
        """
        old = [None if value is None or is_poison(value) else value for value in old]
        new = list(end.operands)
        done: Sequence[SSAValue] = ()
        if isinstance(masked, MaskedOp) and masked.mask is mask.value:
            olds = dict(zip(new, old, strict=True))
            defaults = [olds.get(result) for result in masked.res]
            known = [value for value in defaults if value is not None]
            if len(olds) == len(new) and len(known) == len(defaults):
                # `else` of `spmd.masked` says the same as a select after it.
                masked.operands = (masked.mask, *known)
                done = masked.res
        return [
            self._only(mask, value, result, end)
            if before is None
            else value
            if value in done or self.holding.get(value) is before
            else self.blended(mask, value, before, result, end)
            for value, before, result in zip(new, old, op.results, strict=True)
        ]

    def _only(
        self, mask: Mask, value: SSAValue, result: SSAValue, anchor: Operation
    ) -> SSAValue:
        """What `result` is in the lanes of `mask`, and the others need not have."""
        if self.divergence.is_uniform(result) and not self.is_uniform(value):
            return self.read_first_active(value, mask.value, Builder.before(anchor))
        return value

    def _replace(
        self, op: Operation, values: Sequence[SSAValue | None], mask: Mask
    ) -> None:
        for result, value in zip(op.results, values, strict=True):
            if value is None:
                continue
            shared = self.is_uniform(value) or mask.value is None
            if self.divergence.is_uniform(result) and not shared:
                # Inactive lanes took no branch; what they have is garbage.
                at = Builder(InsertPoint.after(op), op)
                value = self.read_first_active(value, mask.value, at)
            result.replace_all_uses_with(hint(value, result))
        Rewriter.erase_op(op)


def _is_trivial(block: Block) -> bool:
    return block.first_op is block.last_op
