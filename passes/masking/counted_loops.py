"""Counted loops of which lanes run different numbers of iterations, or begin at different ones."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.trip_counts import only_trip_count
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import BroadcastOp, Kind, LaneIdOp, ReduceOp, Scope
from spmd.passes.masking.loops import (
    live_out_blend,
    mask_while,
    needs_blend,
    replace_loop,
)
from spmd.passes.masking.masks import Mask, Masks
from spmd.passes.rematerialization.counted_loops import for_to_while


def mask_divergent_for(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """A counted loop whose lanes run different numbers of times."""
    if why_not_lockstep(masking, loop, mask) is None:
        _mask_lockstep(masking, loop, mask)
    elif all(map(masking.divergence.is_uniform, (loop.lb, loop.step))):
        _mask_until_last(masking, loop, mask)
    else:
        _mask_as_while(masking, loop, mask)


def with_common_counter(masking: Masks, op: Operation) -> Operation | None:
    """
    `op`, where all lanes run it equally often, as it can be kept: with one counter.

    `None` if a loop, which lanes begin at different numbers, cannot have one.
    """
    if not isinstance(op, scf.ForOp) or all(
        map(masking.divergence.is_uniform, (op.lb, op.ub, op.step))
    ):
        return op
    return _count_from_zero(masking, op)


def _count_from_zero(masking: Masks, loop: scf.ForOp) -> scf.ForOp | None:
    """
    Let lanes that run `loop` equally often, from different starts, have one counter.

    ```mlir
    // before
    scf.for %k = %i to %end step %step : i32 { ... }

    // after
    %away = arith.subi %end, %i : i32
    %runs = arith.cmpi slt, %i, %end : i32
    %length = arith.select %runs, %away, %c0 : i32
    ...
    scf.for %done = %c0 to %length step %step : i64 {
      %k = arith.addi %i, %done : i32
      ...
    }
    ```

    Where it is known how often they run it, `%length` is a constant. `None` if the length
    may be more than the widest type has.
    """
    type_ = cast(IntegerType | IndexType, loop.lb.type)
    narrow = isinstance(type_, IntegerType) and type_.bitwidth < i64.bitwidth
    wide = i64 if narrow else type_
    at = Builder.before(loop)
    step = loop.step
    if narrow:
        step = at.add(arith.ExtUIOp(step, i64), "step")
    length = _known_length(masking, loop, wide)
    if length is None:
        if not narrow and masking.ranges.may_be_far_apart(loop.lb, loop.ub):
            return None
        away = at.add(arith.SubiOp(loop.ub, loop.lb), "away")
        runs = at.add(arith.CmpiOp(loop.lb, loop.ub, "slt"), "runs")
        none = masking.constants.zero(type_)
        length = at.add(arith.SelectOp(runs, away, none), "length")
        if narrow:
            length = at.add(arith.ExtUIOp(length, i64), "length")
    body = loop.body.block
    counter = body.args[0]
    done = body.insert_arg(wide, 0)
    first = body.first_op
    assert first is not None, "a loop has a terminator"
    inside = Builder.before(first)
    moved = done
    if isinstance(type_, IntegerType) and narrow:
        moved = inside.add(arith.TruncIOp(done, type_))
    here = inside.add(arith.AddiOp(loop.lb, moved), counter)
    counter.replace_all_uses_with(here)
    body.erase_arg(counter)
    hint(done, "done")
    region = loop.detach_region(loop.body)
    new = scf.ForOp(masking.constants.zero(wide), length, step, loop.iter_args, region)
    replace_loop(masking, loop, new, list(range(len(loop.results))))
    return new


def _known_length(masking: Masks, loop: scf.ForOp, type_: Attribute) -> SSAValue | None:
    """How far each lane counts in `loop`, if it is a known number of steps."""
    trips = only_trip_count(loop, masking.ranges)
    step = masking.ranges.of(loop.step).value
    if trips is None or step is None:
        return None
    # The last step may end past the largest number, and no index is larger than that one.
    length = min(trips * step, IntegerRange.of_width(64).high)
    return masking.constants.number(length, type_)


def why_not_lockstep(masking: Masks, loop: scf.ForOp, mask: Mask) -> str | None:
    """Why lane 0 does not count for all lanes; `None` if it does."""
    if not isinstance(loop.lb.type, IndexType):
        return f"the loop counts in {loop.lb.type}"
    if not masking.divergence.is_uniform(loop.ub):
        return "the lanes have different ends"
    if not masking.divergence.is_uniform(loop.step):
        return "the lanes have different steps"
    if masking.divergence.dimensions > 1:
        return "the lanes go along several dimensions"
    start = masking.divergence.shape(loop.lb)
    if start.stride is None or start.stride <= 0 or start.wraps:
        return "the lanes do not start one after the other"
    return None if mask.first else "lane 0 may be inactive"


def _mask_lockstep(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """
    Lanes that start one after the other and have a common end: lane 0 starts first and
    ends last, so that its counter drives a uniform loop.

    ```mlir
    // before
    %r = scf.for %k = %lx to %n step %size iter_args(%a = %init) -> (f32) {
      ...
      scf.yield %b : f32
    }

    // after
    %lane = spmd.lane_id
    %start = spmd.broadcast %lx from %c0 across sub_group : index
    %r = scf.for %k0 = %start to %n step %size iter_args(%a = %init) -> (f32) {
      %k = arith.addi %k0, %lane : index
      %left = arith.subi %n, %k0 : index
      %active = arith.cmpi slt, %lane, %left : index
      ...
      %kept = arith.select %active, %b, %a : f32
      scf.yield %kept : f32
    }
    ```
    """
    body = loop.body.block
    at = Builder.before(loop)
    index = IndexType()
    stride = masking.divergence.shape(loop.lb).stride
    assert stride is not None
    ahead = at.add(LaneIdOp(), "lane")
    if stride != 1:
        ahead = at.add(arith.MuliOp(ahead, masking.constants.number(stride, index)))
    zero = masking.constants.number(0, index)
    start = at.add(BroadcastOp(loop.lb, zero, Scope.SUB_GROUP), "start")
    on = _active_in_lockstep(masking, loop, ahead, mask)
    masking.mask_block(body, Mask(on, some=True, prefix=True))

    inits, places = _blend_carried(masking, loop, on)
    new = scf.ForOp(start, loop.ub, loop.step, inits, loop.detach_region(loop.body))
    replace_loop(masking, loop, new, places)


def _active_in_lockstep(
    masking: Masks, loop: scf.ForOp, ahead: SSAValue, mask: Mask
) -> SSAValue:
    """Let the body count as many `ahead` as each lane is; the lanes that are not done."""
    counter = loop.body.block.args[0]
    first = loop.body.block.first_op
    assert first is not None, "a loop has a terminator"
    at = Builder.before(first)
    at_lane = arith.AddiOp(counter, ahead)
    counter.replace_all_uses_with(at_lane.result)
    at_lane.operands = (counter, ahead)
    at.add(at_lane, counter)
    # Unlike the counter of another lane, what is left for lane 0 cannot overflow; from a
    # negative start it may take an unsigned number.
    left = at.add(arith.SubiOp(loop.ub, counter), "left")
    positive = masking.ranges.of(loop.lb).is_non_negative
    on = at.add(arith.CmpiOp(ahead, left, "slt" if positive else "ult"), "active")
    narrowed = masking.narrowed(mask, on, first).value
    assert narrowed is not None
    return narrowed


def _mask_until_last(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """
    Lanes that start together: the one with the last end counts for all of them.

    ```mlir
    // before
    %r = scf.for %k = %c0 to %end step %c1 iter_args(%a = %init) -> (f32) {
      ...
      scf.yield %b : f32
    }

    // after
    %last = spmd.reduce max %end across sub_group : index
    %r = scf.for %k = %c0 to %last step %c1 iter_args(%a = %init) -> (f32) {
      %active = arith.cmpi slt, %k, %end : index
      ...
      %kept = arith.select %active, %b, %a : f32
      scf.yield %kept : f32
    }
    ```
    """
    at, body = Builder.before(loop), loop.body.block
    end = loop.ub
    if mask.value is not None:
        end = at.add(arith.SelectOp(mask.value, end, loop.lb), end)
    last = at.add(ReduceOp(Kind.MAX, end, Scope.SUB_GROUP), "last")
    masking.mark_uniform(last)
    first = body.first_op
    assert first is not None, "a loop has a terminator"
    more = arith.CmpiOp(body.args[0], loop.ub, "slt")
    on = Builder.before(first).add(more, "active")
    on = masking.narrowed(mask, on, first).value
    assert on is not None
    masking.mask_block(body, Mask(on, some=True, prefix=False))
    inits, places = _blend_carried(masking, loop, on)
    new = scf.ForOp(loop.lb, last, loop.step, inits, loop.detach_region(loop.body))
    replace_loop(masking, loop, new, places)


def _blend_carried(
    masking: Masks, loop: scf.ForOp, on: SSAValue
) -> tuple[list[SSAValue], list[int]]:
    """Keep what lanes leave with: what the loop starts with, and where its results are."""
    body = loop.body.block
    end = terminator(body)
    inits, nexts = list(loop.iter_args), list(end.operands)
    places = list(range(len(nexts)))
    for j, (result, arg) in enumerate(zip(loop.results, body.args[1:], strict=True)):
        if nexts[j] is arg or not needs_blend(masking, result):
            continue
        if masking.divergence.is_uniform(arg):
            # It goes on for all lanes; what lanes left with is kept beside it.
            kept = hint(body.insert_arg(arg.type, len(body.args)), result)
            places[j] = len(inits)
            inits.append(inits[j])
            nexts.append(live_out_blend(on, nexts[j], kept, end))
        else:
            nexts[j] = live_out_blend(on, nexts[j], arg, end)
    end.operands = nexts
    return inits, places


def _mask_as_while(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """A counted loop whose lanes run different numbers of times, as an `scf.while`."""
    uniform_results = [masking.is_uniform(result) for result in loop.results]
    own = set(loop.body.block.ops)
    counted = for_to_while(loop, masking.ranges)
    test, body = counted.before_region.block, counted.after_region.block
    more, following = terminator(test).operands[0], terminator(body).operands[0]
    hint(more, "more")
    hint(following, "next")
    hint(counted.results[0], body.args[0])
    if masking.is_uniform(body.args[0]):
        for op in body.ops:
            if op not in own:
                masking.mark_uniform(op.results[0])
    for result, uniform in zip(counted.results[1:], uniform_results, strict=True):
        if uniform:
            masking.mark_uniform(result)
    arguments = zip(test.args, body.args, strict=True)
    mask_while(
        masking,
        counted,
        mask,
        {new for new, old in arguments if masking.is_uniform(old)},
    )
