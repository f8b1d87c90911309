"""Neighbouring ops without control flow: what goes into `spmd.masked`, and what stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.building import Builder
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.memory import is_idempotent
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.rewriting import hint, replace
from spmd.dialects.spmd import CollectiveOp, MaskedOp, YieldOp
from spmd.dialects.work_groups import is_private
from spmd.passes.masking.masks import Mask, Masks
from spmd.passes.masking.speculation import is_dereferenceable, needs_mask
from spmd.passes.sub_groups.vectorization_legality import is_lane_type


def mask_run(masks: Masks, run: Sequence[Operation], mask: Mask) -> None:
    """
    Put neighbouring ops into `spmd.masked`, if they cannot run in all lanes.

    What is uniform runs unmasked where some lane is active: that lane does it.
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
        if not (piece or needs_mask(op) or _is_own_load(masks, op)):
            continue
        if mask.some and needs_mask(op) and _has_uniform_effect(masks, op):
            _wrap(masks, piece, mask)
            piece = []
            if _has_uniform_effect(masks, op):
                continue
        piece.append(op)
    _wrap(masks, piece, mask)


def _without_promises(run: Sequence[Operation]) -> Sequence[Operation]:
    """`run` without what would be undefined where no lane asked for it."""
    kept: list[Operation] = []
    for op in run:
        if isinstance(op, memref.AssumeAlignmentOp):
            replace(op, (), (op.memref,))
        else:
            kept.append(op)
    return kept


def _is_own_load(masks: Masks, op: Operation) -> bool:
    """Whether inactive lanes load from an array in which they have stored nothing."""
    return (
        isinstance(op, memref.LoadOp)
        and is_private(op.memref)
        and masks.is_uniform(op.res)
    )


def _has_uniform_effect(masks: Masks, op: Operation) -> bool:
    """Whether all lanes have the same effect on the same memory."""
    if op.regions or not is_idempotent(op):
        return False
    if isinstance(op, memref.StoreOp) and is_private(op.memref):
        return False
    if _is_own_load(masks, op):
        return False
    return all(
        masks.is_uniform(each) or is_dereferenceable(each) for each in op.operands
    )


@dataclass(frozen=True)
class _Masked:
    """Ops that run under one mask."""

    ops: Sequence[Operation]
    members: set[Operation]
    views: set[Operation]
    """Those of `ops` that make memrefs, used after them, which can be rematerialized."""

    results: Sequence[SSAValue]
    """What comes out of the mask."""

    @staticmethod
    def of(ops: Sequence[Operation]) -> _Masked:
        members = {inner for op in ops for inner in op.walk()}
        views: set[Operation] = set()

        def is_needed_after(value: SSAValue) -> bool:
            """Also by a view."""
            return any(
                use.operation not in members or use.operation in views
                for use in value.uses
            )

        for op in reversed(ops):
            if (
                any(isinstance(result.type, MemRefType) for result in op.results)
                and not isinstance(op, memref.AllocaOp)
                and not needs_mask(op)
                and any(map(is_needed_after, op.results))
            ):
                views.add(op)
        outside = (op for op in ops if op not in views)
        results = [each for op in outside for each in op.results]
        return _Masked(ops, members, views, list(filter(is_needed_after, results)))


def _wrap(masks: Masks, piece: Sequence[Operation], mask: Mask) -> None:
    """
    `piece` begins with an op that must be masked.

    A memref is no value of a lane, so that none comes out of a mask: where one is used
    after it, it is rematerialized there, from numbers that do come out.

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
    stays = _scalar_ops(masks, piece)
    wrapped = _Masked.of([op for op in piece if op not in stays])
    end = YieldOp(*wrapped.results)
    types = [result.type for result in wrapped.results]
    masked = MaskedOp(mask.value, types, (), Region(Block([end])))
    Builder(InsertPoint.after(piece[-1]), wrapped.ops[0]).append(masked)
    Builder.before(end).move(wrapped.ops)
    following = masked.next_op
    assert following is not None, "a block has a terminator"
    new_of: dict[SSAValue, SSAValue] = {}
    single = _single_values(masks, wrapped) if mask.some else set[SSAValue]()
    for old, new in zip(wrapped.results, masked.res, strict=True):
        hint(new, old)
        if old in single:
            masks.mark_uniform(new)
        elif mask.some and is_lane_type(old.type) and masks.is_uniform(old):
            new = masks.read_first_active(
                new, mask.value, Builder(InsertPoint.after(masked), masked)
            )
        new_of[old] = new
    new_of |= _views_after(masks, wrapped, mask, new_of, following)
    inside = {*wrapped.members, end}
    for old, new in new_of.items():
        old.replace_uses_with_if(new, lambda use: use.operation not in inside)


def _single_values(masks: Masks, wrapped: _Masked) -> set[SSAValue]:
    """
    The results that are one number however many lanes there are: of collectives.

    Where a division follows, inactive lanes must have that number too: it traps.
    """
    found: set[SSAValue] = set()
    for op in wrapped.ops:
        if isinstance(op, CollectiveOp) or (
            FunctionOfOperands.of(op) is not None
            and all(
                each in found
                or (masks.is_uniform(each) and each.owner not in wrapped.members)
                for each in op.operands
            )
        ):
            found.update(filter(masks.is_uniform, op.results))
    return {value for value in found if not _is_divided_by(value)}


def _is_divided_by(value: SSAValue) -> bool:
    """Whether a division that may trap is computed from `value`."""
    users = reachable(
        (use.operation for use in value.uses),
        lambda op: (
            use.operation
            for result in (op.results if FunctionOfOperands.of(op) is not None else ())
            for use in result.uses
        ),
    )
    return any(map(may_trap, users))


def _views_after(
    masks: Masks,
    wrapped: _Masked,
    mask: Mask,
    new_of: dict[SSAValue, SSAValue],
    anchor: Operation,
) -> dict[SSAValue, SSAValue]:
    """Rematerialize the memrefs of `wrapped` from what `new_of` says came out of the mask."""
    # Inactive lanes have garbage, with which even a view is undefined.
    numbers = {
        old: new
        if masks.is_uniform(new)
        else masks.blended(mask, new, masks.constants.zero(new.type), old, anchor)
        for old, new in new_of.items()
        if any(use.operation in wrapped.views for use in old.uses)
    }
    made: dict[SSAValue, SSAValue] = {}
    for op in wrapped.ops:
        if op not in wrapped.views:
            continue
        Builder.before(anchor).append(op.clone(numbers))
        for result in op.results:
            made[result] = hint(numbers[result], result)
            if masks.is_uniform(result):
                masks.mark_uniform(made[result])
    return made


def _scalar_ops(masks: Masks, piece: Sequence[Operation]) -> set[Operation]:
    """
    The pure ops of `piece` that compute arrays, or what is used after it or by control flow.

    What comes out of a mask is undefined in inactive lanes, also if it follows from their ids.
    """
    members = set(piece)
    inside = {inner for op in piece for inner in op.walk()}
    found: set[Operation] = set()
    for op in piece:
        if needs_mask(op) or not any(
            isinstance(result.type, MemRefType)
            or masks.is_uniform(result)
            or any(use.operation not in inside for use in result.uses)
            for result in op.results
        ):
            continue
        needed = reachable(
            (op,), lambda op: members.intersection(v.owner for v in op.operands)
        )
        # A load of a private array may need no mask, but stays after the stores.
        if not any(needs_mask(e) or isinstance(e, memref.LoadOp) for e in needed):
            found.update(needed)
    return found
