"""
Iterations in which no lane has left a counted loop run without masks, before the others.

Lanes that start one after the other and have a common end leave a loop in its last
iterations. The first lane to leave says when these begin.

```mlir
// before
%r = scf.for %k = %lx to %n step %size iter_args(%a = %v) -> (f32) {
  ...
  scf.yield %b : f32
}

// after, for 16 lanes
%lane = spmd.lane_id
%start = spmd.broadcast %lx from %c0 across sub_group : index
%last = arith.subi %n, %c15 overflow<nsw> : index
%next, %full = scf.for %k0 = %start to %last step %size iter_args(%at = %start, %a = %v) -> (index, f32) {
  %k = arith.addi %k0, %lane overflow<nsw> : index
  ...
  %next = arith.addi %k0, %size overflow<nsw> : index
  scf.yield %next, %b : index, f32
}
%rest = arith.addi %next, %lane overflow<nsw> : index
%r = scf.for %k = %rest to %n step %size iter_args(%a = %full) -> (f32) {
  ...
  scf.yield %b : f32
}
```

Where a step is as long as the sub-group, no lane has more than one of the other iterations:
a branch on `%rest < %n` takes the place of the second loop. Nothing polls there, and nothing
is cut into strips.

Only loops that are little and have none inside are written twice.

Requires: level 2.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import Divergence, analyze_sub_group
from spmd.analysis.ranges.accessed import is_index_of_access
from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import function_around, terminator
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.rewriting import NO_SIGNED_WRAP, constant_index, hint, replace
from spmd.dialects.spmd import BroadcastOp, LaneIdOp, Scope, SubGroupOp

MOST_COPIES = 64
"""Operations of a loop that is written twice."""


@dataclass(frozen=True)
class SplitOffFullIterationsPass(ModulePass):
    """Two loops, one of which needs no masks; see the module docstring."""

    name = "split-off-full-iterations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for group in [each for each in op.walk() if isinstance(each, SubGroupOp)]:
            if group.counts or len(group.lane_shape) > 1:
                continue
            loops = [
                loop
                for loop in group.walk()
                if isinstance(loop, scf.ForOp) and _may_be_split(loop)
            ]
            if loops:
                _split_in(group, loops)


def _split_in(group: SubGroupOp, loops: Sequence[scf.ForOp]) -> None:
    divergence = analyze_sub_group(group)
    for loop in loops:
        if why_not_split(loop, divergence) is None:
            _split(loop, divergence, group.width)


def _may_be_split(loop: scf.ForOp) -> bool:
    """Whether `loop` may begin at different numbers, and is short."""
    if not isinstance(loop.lb.type, IndexType):
        return False
    if constant_index(loop.lb) is not None or _is_rest(loop):
        return False
    copies = sum(1 for _ in loop.walk())
    return copies <= MOST_COPIES and not any(
        flow.runs is Runs.LOOP
        for op in loop.body.walk()
        if (flow := RegionBranch.of(op)) is not None
    )


def _is_rest(loop: scf.ForOp) -> bool:
    """Whether `loop` goes on where another one of the same step ended."""
    begin = loop.lb.owner
    return (
        isinstance(begin, arith.AddiOp)
        and isinstance(full := begin.lhs.owner, scf.ForOp)
        and full.step is loop.step
    )


def why_not_split(loop: scf.ForOp, divergence: Divergence) -> str | None:
    """Why `loop` has no first iterations that all lanes run, or why they cannot be told."""
    if not divergence.is_divergent(loop):
        return "all lanes run it equally often"
    if not divergence.all_active(loop):
        return "some lanes may not come to it"
    if not divergence.is_uniform(loop.ub) or not divergence.is_uniform(loop.step):
        return "the lanes have different ends or steps"
    start, counter = divergence.shape(loop.lb), loop.body.block.args[0]
    if (
        start.stride is None
        or start.stride <= 0
        or (start.wraps and not is_index_of_access(counter))
    ):
        return "the lanes do not start one after the other"
    if IntegerRanges().may_count_past_largest(counter, loop.ub, loop.step):
        return "its counter may wrap"
    return None


def _split(loop: scf.ForOp, divergence: Divergence, width: int) -> None:
    """Write the iterations of all `width` lanes before `loop`, which goes on after them."""
    constants = ConstantPool(function_around(loop).body.blocks[0])
    at = Builder.before(loop)
    shape, end = divergence.shape(loop.lb), loop.ub
    stride = shape.stride
    assert stride is not None, "the lanes start one after the other"
    ahead = at.add(LaneIdOp(), "lane")
    if stride != 1:
        ahead = at.add(arith.MuliOp(ahead, constants.index(stride)), "ahead")
    zero = constants.index(0)
    start = at.add(BroadcastOp(loop.lb, zero, Scope.SUB_GROUP), "start")
    span = stride * (width - 1)
    least = IntegerRange.of_width(64).low + span
    if IntegerRanges().of(end).low < least:
        end = at.add(arith.MaxSIOp(end, constants.index(least)), "end")
    # Neither this nor a sum in the loop wraps: `why_not_split` has seen the end.
    last = arith.SubiOp(end, constants.index(span), overflow=NO_SIGNED_WRAP)
    last = at.add(last, "last")

    region = loop.body.clone()
    body = region.block
    counter, back = body.args[0], terminator(body)
    hint(body.insert_arg(IndexType(), 1), "at")
    first = body.first_op
    assert first is not None, "a loop has a terminator"
    here = arith.AddiOp(counter, ahead, overflow=NO_SIGNED_WRAP)
    counter.replace_all_uses_with(here.result)
    here.operands = (counter, ahead)
    Builder.before(first).add(here, counter)
    following = Builder.before(back).add(
        arith.AddiOp(counter, loop.step, overflow=NO_SIGNED_WRAP), "next"
    )
    back.operands = (following, *back.operands)
    full = scf.ForOp(start, last, loop.step, (start, *loop.iter_args), region)
    at.append(full)
    begun, *carried = full.results
    for result, old in zip(carried, loop.results, strict=True):
        hint(result, old)

    rest = arith.AddiOp(hint(begun, "next"), ahead)
    if not shape.wraps:
        rest = arith.AddiOp(begun, ahead, overflow=NO_SIGNED_WRAP)
    rest = at.add(rest, "rest")
    if IntegerRanges().of(loop.step).low >= span:
        _run_once(loop, rest, carried)
    else:
        loop.operands = (rest, loop.ub, loop.step, *carried)


def _run_once(loop: scf.ForOp, begin: SSAValue, carried: Sequence[SSAValue]) -> None:
    """Make of `loop` a branch: from `begin` on, no lane has more than one iteration."""
    at = Builder.before(loop)
    some = at.add(arith.CmpiOp(begin, loop.ub, "slt"), "some")
    body = loop.detach_region(loop.body)
    for argument, value in zip(tuple(body.block.args), (begin, *carried), strict=True):
        argument.replace_all_uses_with(value)
        body.block.erase_arg(argument)
    otherwise = Region(Block([scf.YieldOp(*carried)])) if carried else Region()
    branch = scf.IfOp(some, loop.result_types, body, otherwise)
    for result, old in zip(branch.results, loop.results, strict=True):
        hint(result, old)
    replace(loop, branch)
