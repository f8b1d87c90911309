"""Divergent loops: they run while any lane lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i1, i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import AnyOp, BroadcastOp, LaneIdOp, Scope
from spmd.passes.masking.masks import Mask, Masks
from spmd.passes.work_item_loops.counted_loops import for_to_while


def mask_divergent_for(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """A counted loop whose lanes run different numbers of times."""
    if why_not_lockstep(masking, loop, mask) is None:
        _mask_lockstep(masking, loop, mask)
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

    `None` if the length may be more than the widest type has.
    """
    type_ = cast(IntegerType | IndexType, loop.lb.type)
    narrow = isinstance(type_, IntegerType) and type_.bitwidth < i64.bitwidth
    if not narrow and IntegerRanges().may_be_far_apart(loop.lb, loop.ub):
        return None
    wide = i64 if narrow else type_
    at = Builder.before(loop)
    away = at.add(arith.SubiOp(loop.ub, loop.lb), "away")
    runs = at.add(arith.CmpiOp(loop.lb, loop.ub, "slt"), "runs")
    none = masking.constants.zero(type_)
    length = at.add(arith.SelectOp(runs, away, none), "length")
    step = loop.step
    if narrow:
        length = at.add(arith.ExtUIOp(length, i64), "length")
        step = at.add(arith.ExtUIOp(step, i64), "step")
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
    _replace_loop(masking, loop, new, list(range(len(loop.results))))
    return new


def needs_blend(masking: Masks, result: SSAValue) -> bool:
    """
    Whether it matters when a lane leaves a loop with a result.

    Not if all lanes leave with the same: then the last ones to leave have it too.
    """
    return bool(result.uses) and not masking.is_uniform(result)


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
    _replace_loop(masking, loop, new, places)


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
    positive = IntegerRanges().of(loop.lb).is_non_negative
    on = at.add(arith.CmpiOp(ahead, left, "slt" if positive else "ult"), "active")
    narrowed = masking.narrowed(mask, on, first).value
    assert narrowed is not None
    return narrowed


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
            nexts.append(_live_out_blend(on, nexts[j], kept, end))
        else:
            nexts[j] = _live_out_blend(on, nexts[j], arg, end)
    end.operands = nexts
    return inits, places


def _mask_as_while(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """A counted loop whose lanes run different numbers of times, as an `scf.while`."""
    uniform_results = [masking.is_uniform(result) for result in loop.results]
    own = set(loop.body.block.ops)
    counted = for_to_while(loop)
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
    _mask_while(
        masking,
        counted,
        mask,
        {new for new, old in arguments if masking.is_uniform(old)},
    )


def mask_divergent_while(masking: Masks, loop: scf.WhileOp, mask: Mask) -> None:
    """A loop whose lanes run different numbers of times."""
    arguments = loop.before_region.block.args
    _mask_while(
        masking, loop, mask, set(filter(masking.divergence.is_uniform, arguments))
    )


def _mask_while(
    masking: Masks, loop: scf.WhileOp, mask: Mask, uniform: set[BlockArgument]
) -> None:
    """
    Add the live lanes to the state of `loop` and blend what is read after it.

    `uniform` holds the arguments of the first region that are the same in all lanes that
    live; they stay uniform, and what lanes leave with goes to a value of its own.
    """
    assert mask.some, "a divergent loop runs where no lane may be active"
    test, body = loop.before_region.block, loop.after_region.block
    condition = terminator(test)
    live = hint(test.insert_arg(i1, 0), "live")
    live_in_body = hint(body.insert_arg(i1, 0), "live")
    masking.mask_block(test, Mask(live, some=True, prefix=False))
    at = Builder.before(condition)
    off = masking.constants.bit(False)
    on = at.add(arith.SelectOp(live, condition.operands[0], off), "active")
    start = masking.constants.bit(True) if mask.value is None else mask.value
    state = _blend_live_outs(masking, loop, live, uniform)
    some = at.add(AnyOp(on), "some")
    condition.operands = (some, on, *state.forwarded)

    masking.mask_block(body, Mask(live_in_body, some=True, prefix=False))
    nexts = _keep_passed_through(body, test, live_in_body, state)
    terminator(body).operands = (live_in_body, *nexts, *state.more_nexts)
    new = scf.WhileOp(
        (start, *loop.arguments, *state.more_inits),
        [value.type for value in condition.operands[1:]],
        *map(loop.detach_region, tuple(loop.regions)),
    )
    hint(new.results[0], "live")
    _replace_loop(masking, loop, new, [1 + place for place in state.places])


@dataclass(frozen=True)
class _LoopState:
    """What a masked `scf.while` passes on, beside the lanes that live."""

    forwarded: list[SSAValue]
    """To the second region and the results: what the loop had, then what was added."""

    places: list[int]
    """Where the results of the loop are among those."""

    more_inits: list[SSAValue] = field(default_factory=list[SSAValue])
    """What is added to the state at the start."""

    more_nexts: list[SSAValue] = field(default_factory=list[SSAValue])
    """What is added to the state by the second region."""

    passed_through: dict[int, int] = field(default_factory=dict[int, int])
    """From results that are arguments, whose next value is to be kept, to which."""


def _blend_live_outs(
    masking: Masks, loop: scf.WhileOp, live: SSAValue, uniform: set[BlockArgument]
) -> _LoopState:
    """
    Keep, in the first region of `loop`, the results of lanes that have left it.

    Both regions have `live` as their first argument already, the terminators not.

    | the result is               | how it is blended                                 |
    | --------------------------- | ------------------------------------------------- |
    | an argument, passed through | the next value of a finished lane is the old one  |
    | passed back unchanged       | the argument that it becomes holds the old value  |
    | anything else               | an argument is added that holds the old value     |
    """
    test, body = loop.before_region.block, loop.after_region.block
    condition, nexts = terminator(test), terminator(body).operands
    forwarded = list(condition.operands[1:])
    state = _LoopState(forwarded, list(range(len(forwarded))))
    arguments = [_number_of(value, test) for value in forwarded]
    passed_through = set(arguments)
    for j, result in enumerate(loop.results):
        value, same_as = forwarded[j], arguments[j]
        if is_outside(value, loop) or not needs_blend(masking, result):
            continue
        argument = body.args[j + 1]
        if same_as is None:
            lockstep = masking.divergence.is_uniform(argument)
        elif not (lockstep := test.args[same_as + 1] in uniform):
            state.passed_through[j] = same_as
            continue
        back = next((k for k, each in enumerate(nexts) if each is argument), None)
        if back is not None and not lockstep and back not in passed_through:
            forwarded[j] = _live_out_blend(live, value, test.args[back + 1], condition)
            continue
        tracker = hint(test.insert_arg(value.type, len(test.args)), result)
        state.more_inits.append(masking.constants.zero(value.type))
        tracked = _live_out_blend(live, value, tracker, condition)
        if lockstep:
            state.places[j] = len(forwarded)
            forwarded.append(tracked)
            argument = hint(body.insert_arg(value.type, len(body.args)), result)
        else:
            forwarded[j] = tracked
        state.more_nexts.append(argument)
    return state


def _keep_passed_through(
    body: Block, test: Block, live: SSAValue, state: _LoopState
) -> list[SSAValue]:
    """The next values, where lanes that have left the loop keep those they left with."""
    end = terminator(body)
    nexts = list(end.operands)
    done: set[int] = set()
    for j, k in state.passed_through.items():
        old = body.args[j + 1]
        if nexts[k] is old or k in done:
            continue
        done.add(k)
        kept = arith.SelectOp(live, nexts[k], old)
        nexts[k] = Builder.before(end).add(kept, test.args[k + 1])
    return nexts


def _replace_loop(
    masking: Masks, loop: Operation, new: Operation, places: Sequence[int]
) -> None:
    """Put `new` in the place of `loop`, whose results are those of `new` at `places`."""
    new.attributes.update(loop.attributes)
    Builder.before(loop).append(new)
    for old, place in zip(loop.results, places, strict=True):
        result = hint(new.results[place], old)
        if masking.is_uniform(old):
            masking.mark_uniform(result)
        old.replace_all_uses_with(result)
    Rewriter.erase_op(loop)


def _live_out_blend(
    live: SSAValue, new: SSAValue, old: SSAValue, anchor: Operation
) -> SSAValue:
    """`new` in the lanes that still live, what they left with in the others."""
    return Builder.before(anchor).add(arith.SelectOp(live, new, old), new)


def _number_of(value: SSAValue, block: Block) -> int | None:
    """Which argument of `block` `value` is, not counting the first."""
    if isinstance(value, BlockArgument) and value.owner is block:
        return value.index - 1
    return None
