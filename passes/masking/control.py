"""Control flow under masks: what happens to each op of a sub-group's body."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    MemRefType,
    i32,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator

from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.building import ConstantPool
from spmd.dialects.enclosing import function_around, parent_block, terminator
from spmd.dialects.rewriting import constant_index, hint, locate, replace
from spmd.dialects.spmd import (
    AnyOp,
    LaneIdOp,
    MaskedOp,
    SubGroupOp,
    YieldOp,
)
from spmd.passes.masking.conditions import agree_again, rests_on_ranges
from spmd.passes.masking.loops import mask_divergent_for, mask_divergent_while
from spmd.passes.masking.masks import Mask, Masks, detach, insert, is_poison
from spmd.passes.masking.speculation import (
    SKIP_ABOVE,
    SKIP_IDS_ABOVE,
    compares_ids,
    is_always_there,
    is_private,
    needs_mask,
    why_skip,
)
from spmd.passes.masking.views import is_used_behind, views_used_behind
from spmd.passes.sub_groups.vectorization_legality import is_lane_type


def mask_sub_group(group: SubGroupOp, divergence: Divergence) -> None:
    """Make the control flow of `group` uniform and its lanes all exist."""
    entry = function_around(group).body.block
    masking = Masking(divergence, ConstantPool(entry))
    in_doubt = rests_on_ranges(group, divergence)
    if group.counts:
        masking.mask_existing(group)
    else:
        masking.mask_block(group.body.block, Mask())
    if in_doubt:
        agree_again(group, masking.kept, masking)


class Masking(Masks):
    """The rewriting of one sub-group."""

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
        (count,) = group.counts
        block = group.body.block
        begin, end = block.first_op, block.last_op
        assert begin is not None
        assert end is not None
        lane = LaneIdOp()
        exists = arith.CmpiOp(lane, count, "slt")
        insert(lane, begin)
        insert(exists, begin)
        hint(lane.result, "lane")
        hint(exists.result, "exists")
        group.operands = group.bases
        group.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [1, 0])
        known = constant_index(count)
        if known is not None and known > 0:
            self.mask_block(block, Mask(exists.result, some=True))
            return
        body = Block([scf.YieldOp()])
        inner = terminator(body)
        while begin is not end:
            op, begin = begin, begin.next_op
            assert begin is not None
            op.detach()
            body.insert_op_before(op, inner)
        self._guarded(body, Mask(exists.result, some=False), (), (), end)

    def mask_block(self, block: Block, mask: Mask) -> None:
        run: list[Operation] = []
        for op in list(block.ops):
            if op.has_trait(IsTerminator):
                break
            if isinstance(op, memref.AllocaOp) and op.dynamic_sizes:
                self._wrap(run, mask)
                run = []
                self._mask_sizes(op, mask)
            elif op.regions:
                self._wrap(run, mask)
                run = []
                self._mask_control(op, mask)
            else:
                run.append(op)
        self._wrap(run, mask)

    def _wrap(self, run: Sequence[Operation], mask: Mask) -> None:
        """
        Put neighbouring ops into `spmd.masked`, if they cannot run in all lanes.

        What all lanes do alike runs unmasked where some lane is on: that lane does it.
        """
        if mask.value is None:
            return
        if not mask.first:
            # In lanes that did not ask for it a sum may overflow. Lane 0 is special: the
            # next step counts other lanes from it.
            for op in run:
                if "overflowFlags" in op.properties:
                    op.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")
        if not mask.some:
            run = _without_promises(run)
        piece: list[Operation] = []
        for op in run:
            if not (piece or needs_mask(op) or self._is_own_load(op)):
                continue
            if mask.some and needs_mask(op) and self._is_alike(op):
                self._wrap_piece(piece, mask)
                piece = []
                if self._is_alike(op):
                    continue
            piece.append(op)
        self._wrap_piece(piece, mask)

    def _mask_sizes(self, op: memref.AllocaOp, mask: Mask) -> None:
        """Let lanes that are off, whose sizes are garbage, have arrays without elements."""
        for number, size in enumerate(op.dynamic_sizes):
            none = self.constants.zero(size.type)
            op.operands[number] = self.blended(mask, size, none, size, op)

    def _is_own_load(self, op: Operation) -> bool:
        """Whether lanes that are off load from an array in which they have stored nothing."""
        return (
            isinstance(op, memref.LoadOp)
            and is_private(op.memref)
            and self.is_uniform(op.res)
        )

    def _is_alike(self, op: Operation) -> bool:
        """Whether all lanes do the same to the same memory."""
        if op.name.startswith("spmd."):
            return False  # Collectives and atomics count who is there.
        if isinstance(op, memref.StoreOp) and is_private(op.memref):
            return False
        if self._is_own_load(op):
            return False
        return all(
            self.is_uniform(operand) or is_always_there(operand)
            for operand in op.operands
        )

    def _wrap_piece(self, piece: Sequence[Operation], mask: Mask) -> None:
        """
        `piece` begins with an op that must be masked.

        A memref is no value of a lane, so that none comes out of a mask: where one is used
        behind it, it is made again there, from numbers that do come out.

        ```mlir
        // before
        %row = arith.divui %i, %n : index
        %m = memref.view %all[%row][] : memref<?xi8> to memref<4xf32>
        %v = memref.load %m[%j] : memref<4xf32>
        ...

        // after
        %row, %v = spmd.masked %on -> (index, f32) {...}
        %m = memref.view %all[%row][] : memref<?xi8> to memref<4xf32>
        ```
        """
        if not piece:
            return
        assert mask.value is not None
        stays = self._scalar_ops(piece)
        inside = [op for op in piece if op not in stays]
        members = set(inside)
        views = views_used_behind(inside, members)
        results = [
            result
            for op in inside
            if op not in views
            for result in op.results
            if is_used_behind(result, members)
            or any(use.operation in views for use in result.uses)
        ]
        last = piece[-1]
        block = parent_block(last)
        end = YieldOp(*results)
        body = Region(Block([end]))
        masked = MaskedOp(mask.value, [r.type for r in results], (), body)
        locate(masked, inside[0])
        block.insert_op_after(masked, last)
        for op in inside:
            op.detach()
            masked.body.block.insert_op_before(op, end)
        members.add(end)
        behind = masked.next_op
        assert behind is not None, "a block has a terminator"
        mapping: dict[SSAValue, SSAValue] = {}
        for old, new in zip(results, masked.res, strict=True):
            hint(new, old)
            if mask.some and is_lane_type(old.type) and self.is_uniform(old):
                new = self._picked_from(new, mask.value, masked)
            mapping[old] = new
        # Lanes that are off have garbage, with which even a view is undefined.
        numbers = {
            old: new
            if self.is_uniform(new)
            else self.blended(mask, new, self.constants.zero(new.type), old, behind)
            for old, new in mapping.items()
            if any(use.operation in views for use in old.uses)
        }
        for op in views:
            insert(op.clone(numbers), behind)
            for result in op.results:
                mapping[result] = hint(numbers[result], result)
                if self.is_uniform(result):
                    self.mark_uniform(mapping[result])
        for old, new in mapping.items():
            old.replace_uses_with_if(new, lambda use: use.operation not in members)

    def _picked_from(
        self, value: SSAValue, mask: SSAValue, masked: Operation
    ) -> SSAValue:
        """
        What all lanes that are on have, in all lanes: control flow may ask for it.

        The others have garbage until 0 takes its place, and no unsigned number is below.
        """
        ops = self.picking(value, mask)
        block = parent_block(masked)
        for op in reversed(ops):
            locate(op, masked)
            block.insert_op_after(op, masked)
        picked = ops[-1].results[0]
        self.mark_uniform(picked)
        return hint(picked, value)

    def _scalar_ops(self, piece: Sequence[Operation]) -> set[Operation]:
        """The pure ops of `piece` that compute arrays and what control flow may ask for."""
        members = set(piece)
        found: set[Operation] = set()
        for op in piece:
            if needs_mask(op) or not any(
                isinstance(result.type, MemRefType) or self.is_uniform(result)
                for result in op.results
            ):
                continue
            needed, work = {op}, [op]
            while work:
                for operand in work.pop().operands:
                    owner = operand.owner
                    if isinstance(owner, Operation) and owner in members - needed:
                        needed.add(owner)
                        work.append(owner)
            # A load of a private array may need no mask, but stays behind the stores.
            if not any(needs_mask(e) or isinstance(e, memref.LoadOp) for e in needed):
                found |= needed
        return found

    # Control flow

    def _mask_control(self, op: Operation, mask: Mask) -> None:
        if isinstance(op, MaskedOp):
            narrowed = self.narrowed(mask, op.mask, op).value
            assert narrowed is not None
            op.operands = (narrowed, *op.old)
            return
        if not self.divergence.is_divergent(op):
            assert mask.some, f"{op.name} runs where no lane may be on"
            self.kept.append((op, mask))
            for region in op.regions:
                for block in region.blocks:
                    self.mask_block(block, mask)
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
        values: Sequence[SSAValue | None] = [None] * len(op.results)
        then_first = other is None or not _is_trivial(then)
        if then_first:
            if other is not None and _is_trivial(other):
                values = _yielded(other)
                other = None
            on = self.narrowed(mask, op.cond, op)
            values = self._branch(then, on, values, op.results, op, limit)
        else:
            values = _yielded(then)
        if other is not None and not (_is_trivial(other) and not op.results):
            on = self.without(mask, op.cond, op)
            values = self._branch(other, on, values, op.results, op, limit)
        self._replace(op, values, mask)

    def _mask_switch(self, op: scf.IndexSwitchOp, mask: Mask) -> None:
        """Case after case, each in the lanes that chose it; the rest takes the default."""
        values: Sequence[SSAValue | None] = [None] * len(op.results)
        rest = mask
        for case, region in zip(op.cases.get_values(), op.case_regions, strict=True):
            number = self.constants.number(int(case), IndexType())
            chosen = arith.CmpiOp(op.arg, number, "eq")
            insert(chosen, op)
            hint(chosen.result, f"is_{case}")
            on = self.narrowed(mask, chosen.result, op)
            values = self._branch(region.block, on, values, op.results, op)
            rest = self.without(rest, chosen.result, op)
        default = op.default_region.block
        values = self._branch(default, rest, values, op.results, op)
        self._replace(op, values, mask)

    def _branch(
        self,
        block: Block,
        mask: Mask,
        old: Sequence[SSAValue | None],
        names: Sequence[SSAValue],
        anchor: Operation,
        limit: int = SKIP_ABOVE,
    ) -> Sequence[SSAValue]:
        """
        Move `block` in front of `anchor`, where it runs under `mask`.

        Returns what it yields in the lanes of `mask`, and `old` in the others; `None`
        in `old` says that the others need no value.
        """
        if not mask.some and why_skip(block, self.divergence, limit) is not None:
            return self._guarded(block, mask, old, names, anchor)
        self.mask_block(block, mask)
        values = self._blend(block, mask, old, names)
        _inline(block, anchor)
        return values

    def _guarded(
        self,
        block: Block,
        mask: Mask,
        old: Sequence[SSAValue | None],
        names: Sequence[SSAValue],
        anchor: Operation,
    ) -> Sequence[SSAValue]:
        """
        ```mlir
        %some = spmd.any %on across sub_group
        %r = scf.if %some -> (f32) {
          ...
          scf.yield %v : f32
        } else {
          scf.yield %old : f32
        }
        ```
        """
        assert mask.value is not None, "all lanes need no guard"
        some = AnyOp(mask.value)
        insert(some, anchor)
        hint(some.result, "some")
        end = block.last_op
        assert isinstance(end, scf.YieldOp)
        types = end.operand_types
        detach(block)
        otherwise: Region | None = None
        if types:
            fallback = [
                self.constants.zero(type_) if each is None else each
                for each, type_ in zip(old, types, strict=True)
            ]
            otherwise = Region(Block([scf.YieldOp(*fallback)]))
        guard = scf.IfOp(some, types, Region(block), otherwise)
        insert(guard, anchor)
        self.mask_block(block, mask.known())
        end.operands = self._blend(block, mask, old, names)
        for result, name in zip(guard.results, names, strict=True):
            hint(result, name)
        return guard.results

    def _blend(
        self,
        block: Block,
        mask: Mask,
        old: Sequence[SSAValue | None],
        names: Sequence[SSAValue],
    ) -> list[SSAValue]:
        """What `block` yields in the lanes of `mask`, and `old` in the others."""
        old = [None if value is None or is_poison(value) else value for value in old]
        end = terminator(block)
        new = list(end.operands)
        masked = end.prev_op
        done: Sequence[SSAValue] = ()
        if isinstance(masked, MaskedOp) and masked.mask is mask.value:
            olds = dict(zip(new, old, strict=True))
            defaults = [olds.get(result) for result in masked.res]
            known = [value for value in defaults if value is not None]
            if len(olds) == len(new) and len(known) == len(defaults):
                # `else` of `spmd.masked` says the same as a select behind it.
                masked.operands = (masked.mask, *known)
                done = masked.res
        return [
            value
            if before is None or value in done
            else self.blended(mask, value, before, name, end)
            for value, before, name in zip(new, old, names, strict=True)
        ]

    def _replace(
        self, op: Operation, values: Sequence[SSAValue | None], mask: Mask
    ) -> None:
        for result, value in zip(op.results, values, strict=True):
            if value is None:
                continue
            if mask.value is not None and self.divergence.is_uniform(result):
                # Lanes that are off took no branch; what they have is garbage.
                value = self._picked_from(value, mask.value, op)
            result.replace_all_uses_with(hint(value, result))
        Rewriter.erase_op(op)


def _is_trivial(block: Block) -> bool:
    return block.first_op is block.last_op


def _yielded(block: Block) -> list[SSAValue]:
    end = terminator(block)
    return list(end.operands)


def _inline(block: Block, anchor: Operation) -> None:
    """Move the ops of `block` in front of `anchor`, and drop its terminator."""
    target = parent_block(anchor)
    for op in list(block.ops):
        op.detach()
        if op.has_trait(IsTerminator):
            op.erase()
        else:
            target.insert_op_before(op, anchor)


def _without_promises(run: Sequence[Operation]) -> Sequence[Operation]:
    """`run` without what would be undefined where no lane asked for it."""
    kept: list[Operation] = []
    for op in run:
        if isinstance(op, memref.AssumeAlignmentOp):
            replace(op, (), (op.memref,))
        else:
            kept.append(op)
    return kept
