"""Divergent loops: they run while any lane lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.names import NEGATED
from spmd.dialects.rewriting import constant_index, erase_if_dead, hint
from spmd.dialects.spmd import AnyOp
from spmd.passes.masking.masks import Mask, Masks


def needs_blend(masking: Masks, result: SSAValue) -> bool:
    """
    Whether it matters when a lane leaves a loop with a result.

    Not if all lanes leave with the same: then the last ones to leave have it too.
    """
    return bool(result.uses) and not masking.is_uniform(result)


def mask_divergent_while(masking: Masks, loop: scf.WhileOp, mask: Mask) -> None:
    """A loop whose lanes run different numbers of times."""
    arguments = loop.before_region.block.args
    mask_while(
        masking, loop, mask, set(filter(masking.divergence.is_uniform, arguments))
    )


def mask_while(
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
    more = condition.operands[0]
    goes_on, common = _split_condition(masking, more)
    on = at.add(arith.SelectOp(live, goes_on, off), "active")
    start = masking.constants.bit(True) if mask.value is None else mask.value
    state = _blend_live_outs(masking, loop, live, uniform)
    some = at.add(AnyOp(on), "some")
    for end in reversed(common):
        first, second = (end.part, some) if end.is_first else (some, end.part)
        some = at.add(arith.SelectOp(first, second, off), more)
    condition.operands = (some, on, *state.forwarded)
    for end in common:
        erase_if_dead(end.conjunction)

    masking.mask_block(body, Mask(live_in_body, some=True, prefix=False))
    nexts = _keep_passed_through(body, test, live_in_body, state)
    terminator(body).operands = (live_in_body, *nexts, *state.more_nexts)
    new = scf.WhileOp(
        (start, *loop.arguments, *state.more_inits),
        [value.type for value in condition.operands[1:]],
        *map(loop.detach_region, tuple(loop.regions)),
    )
    hint(new.results[0], "live")
    replace_loop(masking, loop, new, [1 + place for place in state.places])
    masking.kept.append((new, Mask(live)))


@dataclass(frozen=True)
class _CommonEnd:
    """What is the same in all lanes, of two values that both have to hold."""

    conjunction: SSAValue
    part: SSAValue
    is_first: bool
    """Whether it stands before the other one, which may be poison where it does not hold."""


def _split_condition(
    masking: Masks, condition: SSAValue
) -> tuple[SSAValue, list[_CommonEnd]]:
    """What of a conjunction differs among lanes, and what ends the loop for all of them."""
    common: list[_CommonEnd] = []
    while not masking.is_uniform(condition):
        match condition.owner:
            case arith.AndIOp(lhs=first, rhs=second):
                pass
            case arith.SelectOp(cond=first, lhs=second, rhs=other) if (
                constant_index(other) == 0
            ):
                pass
            case _:
                break
        if masking.is_uniform(first):
            common.append(_CommonEnd(condition, first, True))
            condition = second
        elif masking.is_uniform(second):
            common.append(_CommonEnd(condition, second, False))
            condition = first
        else:
            break
    return condition, common


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
    | one as long as any lane goes on | in finished lanes it was that                 |
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
        same = _same_while_going_on(condition.operands[0], value)
        if same is not None and masking.divergence.is_uniform(value):
            known = masking.constants.bit(same)
            forwarded[j] = live_out_blend(live, value, known, condition)
            continue
        if same_as is None:
            lockstep = masking.divergence.is_uniform(argument)
        elif not (lockstep := test.args[same_as + 1] in uniform):
            state.passed_through[j] = same_as
            continue
        back = next((k for k, each in enumerate(nexts) if each is argument), None)
        if back is not None and not lockstep and back not in passed_through:
            forwarded[j] = live_out_blend(live, value, test.args[back + 1], condition)
            continue
        tracker = hint(test.insert_arg(value.type, len(test.args)), result)
        state.more_inits.append(masking.constants.zero(value.type))
        tracked = live_out_blend(live, value, tracker, condition)
        if lockstep:
            state.places[j] = len(forwarded)
            forwarded.append(tracked)
            argument = hint(body.insert_arg(value.type, len(body.args)), result)
        else:
            forwarded[j] = tracked
        state.more_nexts.append(argument)
    return state


def _same_while_going_on(condition: SSAValue, value: SSAValue) -> bool | None:
    """What `value` is wherever `condition` holds, if that is found out easily."""
    if condition is value:
        return True
    owner = condition.owner
    if not isinstance(owner, scf.IfOp):
        return None
    negated = _is_negation(value, owner.cond)
    if negated or owner.cond is value:
        for region, known in zip(owner.regions, (negated, not negated), strict=True):
            end = terminator(region.block)
            if constant_index(end.operands[owner.results.index(condition)]) == 0:
                return known
    return None


def _is_negation(value: SSAValue, other: SSAValue) -> bool:
    """Whether `value` was written as the contrary of `other`."""
    match value.owner, other.owner:
        case arith.XOrIOp() as op, _:
            return op.lhs is other and constant_index(op.rhs) not in (None, 0)
        case (arith.CmpiOp() as a, arith.CmpiOp() as b):
            same = a.lhs is b.lhs and a.rhs is b.rhs
            return same and NEGATED[a.predicate.value.data] == b.predicate.value.data
        case _:
            return False


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


def replace_loop(
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


def live_out_blend(
    live: SSAValue, new: SSAValue, old: SSAValue, anchor: Operation
) -> SSAValue:
    """`new` in the lanes that still live, what they left with in the others."""
    name = old if isinstance(old, BlockArgument) else new
    return Builder.before(anchor).add(arith.SelectOp(live, new, old), name)


def _number_of(value: SSAValue, block: Block) -> int | None:
    """Which argument of `block` `value` is, not counting the first."""
    if isinstance(value, BlockArgument) and value.owner is block:
        return value.index - 1
    return None
