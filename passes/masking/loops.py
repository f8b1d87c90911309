"""Divergent loops: they run while any lane lives."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.rewriting import hint, locate
from spmd.dialects.spmd import AnyOp, BroadcastOp, LaneIdOp, Scope
from spmd.passes.masking.masks import Mask, Masks, detach, insert


def mask_divergent_for(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """A counted loop whose lanes run different numbers of times."""
    if why_not_in_step(masking, loop, mask) is None:
        _mask_in_step(masking, loop, mask)
    else:
        _mask_as_while(masking, loop, mask)


def needs_freezing(masking: Masks, result: SSAValue) -> bool:
    """
    Whether it matters when a lane leaves a loop with a result.

    Not if all lanes leave with the same: then the last ones to leave have it too.
    """
    return bool(result.uses) and not masking.is_uniform(result)


def why_not_in_step(masking: Masks, loop: scf.ForOp, mask: Mask) -> str | None:
    """Why lane 0 does not count for all lanes; `None` if it does."""
    if not isinstance(loop.lb.type, IndexType):
        return f"the loop counts in {loop.lb.type}"
    if not masking.divergence.is_uniform(loop.ub):
        return "the lanes have different ends"
    if not masking.divergence.is_uniform(loop.step):
        return "the lanes have different steps"
    start = masking.divergence.shape(loop.lb)
    if start.stride is None or start.stride <= 0 or start.wraps:
        return "the lanes do not start one after the other"
    return None if mask.first else "lane 0 may be off"


def _mask_in_step(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
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
      %on = arith.cmpi slt, %lane, %left : index
      ...
      %frozen = arith.select %on, %b, %a : f32
      scf.yield %frozen : f32
    }
    ```
    """
    body = loop.body.block
    counter, *carried = body.args
    end = body.last_op
    assert isinstance(end, scf.YieldOp)
    stride = masking.divergence.shape(loop.lb).stride
    assert stride is not None
    index = IndexType()
    ahead: Operation = LaneIdOp()
    insert(ahead, loop)
    hint(ahead.results[0], "lane")
    if stride != 1:
        ahead = arith.MuliOp(ahead, masking.constants.number(stride, index))
        insert(ahead, loop)
    zero = masking.constants.number(0, index)
    start = BroadcastOp(loop.lb, zero, Scope.SUB_GROUP)
    insert(start, loop)
    hint(start.result, "start")

    at_lane = arith.AddiOp(counter, ahead)
    counter.replace_all_uses_with(at_lane.result)
    at_lane.operands = (counter, ahead.results[0])
    # Unlike the counter of another lane, what is left for lane 0 cannot overflow; from a
    # negative start it may take an unsigned number.
    left = arith.SubiOp(loop.ub, counter)
    positive = IntegerRanges().of(loop.lb).is_non_negative
    on = arith.CmpiOp(ahead.results[0], left, "slt" if positive else "ult")
    begin = body.first_op
    assert begin is not None
    insert(at_lane, begin)
    insert(left, begin)
    insert(on, begin)
    hint(at_lane.result, counter)
    hint(left.result, "left")
    hint(on.result, "on")
    inner = masking.narrowed(mask, on.result, begin)
    masking.mask_block(body, Mask(inner.value, some=True, prefix=True))

    inits: list[SSAValue] = list(loop.iter_args)
    nexts: list[SSAValue] = list(end.arguments)
    final = list(range(len(nexts)))
    assert inner.value is not None
    for j, (result, arg) in enumerate(zip(loop.results, carried, strict=True)):
        if nexts[j] is arg or not needs_freezing(masking, result):
            continue
        kept: SSAValue = arg
        if masking.divergence.is_uniform(arg):
            # It goes on for all lanes; what lanes left with is kept beside it.
            kept = hint(body.insert_arg(arg.type, len(body.args)), result)
            final[j] = len(inits)
            inits.append(inits[j])
        frozen = _frozen(inner.value, nexts[j], kept, end)
        if kept is arg:
            nexts[j] = frozen
        else:
            nexts.append(frozen)
    end.operands = nexts
    detach(body)
    new = scf.ForOp(start.result, loop.ub, loop.step, inits, Region(body))
    new.attributes.update(loop.attributes)
    insert(new, loop)
    for old, place in zip(loop.results, final, strict=True):
        if masking.is_uniform(old):
            masking.mark_uniform(new.results[place])
        old.replace_all_uses_with(hint(new.results[place], old))
    Rewriter.erase_op(loop)


def _mask_as_while(masking: Masks, loop: scf.ForOp, mask: Mask) -> None:
    """
    A counted loop whose lanes run different numbers of times, as an `scf.while`.

    ```mlir
    // before
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %init) -> (f32) {
      ...
    }

    // after, to be masked as a divergent `scf.while`
    %k, %r = scf.while (%k = %c0, %a = %init) : (index, f32) -> (index, f32) {
      %more = arith.cmpi slt, %k, %n : index
      scf.condition(%more) %k, %a : index, f32
    } do {
    ^bb0(%k: index, %a: f32):
      ...
      %next = arith.addi %k, %c1 : index
      scf.yield %next, ... : index, f32
    }
    ```
    """
    body = loop.body.block
    types = [arg.type for arg in body.args]
    test = Block(arg_types=types)
    for new, old in zip(test.args, body.args, strict=True):
        hint(new, old)
    more = arith.CmpiOp(test.args[0], loop.ub, "slt")
    hint(more.result, "more")
    test.add_ops((more, scf.ConditionOp(more.result, *test.args)))
    end = body.last_op
    assert isinstance(end, scf.YieldOp)
    following = arith.AddiOp(body.args[0], loop.step)
    hint(following.result, "next")
    body.insert_op_before(following, end)
    if masking.is_uniform(body.args[0]):
        masking.mark_uniform(following.result)
    end.operands = (following.result, *end.operands)
    detach(body)
    while_op = scf.WhileOp(
        (loop.lb, *loop.iter_args), types, Region(test), Region(body)
    )
    insert(while_op, loop)
    hint(while_op.results[0], body.args[0])
    for old, new in zip(loop.results, while_op.results[1:], strict=True):
        if masking.is_uniform(old):
            masking.mark_uniform(new)
        hint(new, old)
        old.replace_all_uses_with(new)
    Rewriter.erase_op(loop)
    uniform = {
        new
        for new, old in zip(test.args, body.args, strict=True)
        if masking.is_uniform(old)
    }
    _mask_while(masking, while_op, mask, uniform)


def mask_divergent_while(masking: Masks, loop: scf.WhileOp, mask: Mask) -> None:
    """A loop whose lanes run different numbers of times."""
    uniform = {
        arg
        for arg in loop.before_region.block.args
        if masking.divergence.is_uniform(arg)
    }
    _mask_while(masking, loop, mask, uniform)


def _mask_while(
    masking: Masks,
    loop: scf.WhileOp,
    mask: Mask,
    uniform: set[BlockArgument],
) -> None:
    """
    Add the live lanes to the state of `loop` and freeze what is read after it.

    `uniform` holds the arguments of the first region that are the same in all lanes that
    live; they stay uniform, and what lanes leave with goes to a value of its own.

    | the result is               | how it is frozen                                  |
    | --------------------------- | ------------------------------------------------- |
    | an argument, handed through | the next value of a finished lane is the old one  |
    | handed back unchanged       | the argument that it becomes holds the old value  |
    | anything else               | an argument is added that holds the old value     |
    """
    assert mask.some, "a divergent loop runs where no lane may be on"
    test, body = loop.before_region.block, loop.after_region.block
    condition, end = test.last_op, body.last_op
    assert isinstance(condition, scf.ConditionOp)
    assert isinstance(end, scf.YieldOp)
    zero = masking.constants.zero

    live = hint(test.insert_arg(i1, 0), "live")
    on_in_body = hint(body.insert_arg(i1, 0), "live")
    # From here on `test.args[k + 1]` belongs to operand k, `body.args[j + 1]` to result j.
    masking.mask_block(test, Mask(live, some=True, prefix=False))
    narrowed = arith.SelectOp(live, condition.condition, masking.constants.bit(False))
    some = AnyOp(narrowed.result)
    insert(narrowed, condition)
    hint(narrowed.result, "on")

    start = mask.value if mask.value is not None else masking.constants.bit(True)
    inits: list[SSAValue] = [start, *loop.arguments]
    forwarded: list[SSAValue] = list(condition.args)
    extra_results: list[SSAValue] = []
    nexts: list[SSAValue] = list(end.arguments)
    extra_nexts: list[SSAValue] = []
    result_of: dict[int, int] = {}
    keep_old: list[int] = []
    handed_through = {
        test.args.index(arg) - 1
        for value in forwarded
        if (arg := _argument_of(value, test)) is not None
    }
    for j, result in enumerate(loop.results):
        result_of[j] = j + 1
        value = forwarded[j]
        if _is_from_outside(value, loop) or not needs_freezing(masking, result):
            continue
        argument = body.args[j + 1]
        same_as = _argument_of(value, test)
        if same_as is not None and same_as not in uniform:
            keep_old.append(j)
            continue
        back = next(
            (k for k, following in enumerate(nexts) if following is argument), None
        )
        lockstep = (
            same_as in uniform
            if same_as is not None
            else masking.divergence.is_uniform(argument)
        )
        if back is not None and not lockstep and back not in handed_through:
            kept = test.args[back + 1]
            forwarded[j] = _frozen(live, value, kept, condition)
            continue
        tracker = hint(test.insert_arg(value.type, len(test.args)), result)
        inits.append(zero(value.type))
        tracked = _frozen(live, value, tracker, condition)
        if lockstep:
            handed = hint(body.insert_arg(value.type, len(body.args)), result)
            result_of[j] = 1 + len(forwarded) + len(extra_results)
            extra_results.append(tracked)
            extra_nexts.append(handed)
        else:
            forwarded[j] = tracked
            extra_nexts.append(argument)
    insert(some, condition)
    hint(some.result, "some")

    masking.mask_block(body, Mask(on_in_body, some=True, prefix=False))
    # Masking may have replaced what is yielded.
    nexts = list(end.arguments)
    frozen: set[int] = set()
    for j in keep_old:
        same_as = _argument_of(forwarded[j], test)
        assert same_as is not None
        k = test.args.index(same_as) - 1
        if nexts[k] is body.args[j + 1] or k in frozen:
            continue
        frozen.add(k)
        kept = arith.SelectOp(on_in_body, nexts[k], body.args[j + 1])
        insert(kept, end)
        nexts[k] = hint(kept.result, same_as)

    all_forwarded = [narrowed.result, *forwarded, *extra_results]
    condition.operands = (some.result, *all_forwarded)
    end.operands = (on_in_body, *nexts, *extra_nexts)
    types = [value.type for value in all_forwarded]
    detach(test)
    detach(body)
    masked = scf.WhileOp(inits, types, Region(test), Region(body))
    masked.attributes.update(loop.attributes)
    locate(masked, loop)
    insert(masked, loop)
    hint(masked.results[0], "live")
    for j, result in enumerate(loop.results):
        new = hint(masked.results[result_of[j]], result)
        if masking.is_uniform(result):
            masking.mark_uniform(new)
        result.replace_all_uses_with(new)
    Rewriter.erase_op(loop)


def _frozen(
    live: SSAValue, new: SSAValue, old: SSAValue, anchor: Operation
) -> SSAValue:
    """`new` in the lanes that still live, what they left with in the others."""
    op = arith.SelectOp(live, new, old)
    insert(op, anchor)
    return hint(op.result, new)


def _argument_of(value: SSAValue, block: Block) -> BlockArgument | None:
    """`value` if it is an argument of `block`."""
    if isinstance(value, BlockArgument) and value.owner is block:
        return value
    return None


def _is_from_outside(value: SSAValue, loop: Operation) -> bool:
    owner = value.owner
    node = owner if isinstance(owner, Operation) else owner.parent_op()
    return not (node is loop or (node is not None and loop.is_ancestor(node)))
