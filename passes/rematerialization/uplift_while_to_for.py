"""
Counted loops where a loop counts itself.

`while k < n: ...; k += 1`, in Python, in blocks or in `scf.while`, runs as often as a loop from
`k` to `n`: it is one from here on, so that what later passes know of counted loops holds for it
as well. Lanes with different ends wait for the largest, windows are gone over together, and a
launch is asked whether it goes on once in many iterations rather than in each.

```mlir
// before
%last, %r = scf.while (%k = %start, %a = %v) : (index, f32) -> (index, f32) {
  %more = arith.cmpi slt, %k, %end : index
  scf.condition(%more) %k, %a : index, f32
} do {
^bb0(%k: index, %a: f32):
  ...
  %next = arith.addi %k, %c1 : index
  scf.yield %next, %b : index, f32
}

// after
%r = scf.for %k = %start to %end step %c1 iter_args(%a = %v) -> (f32) {
  ...
  scf.yield %b : f32
}
%last = arith.maxsi %start, %end : index
```

As MLIR's `upliftWhileToForLoop`. The step is positive, and the counter never passes the largest
number of its type, which `analysis/ranges` shows: a `while` would go on with the smallest. A
counter that is used after the loop is carried by it, unless its step is 1.

Requires: level 0; kernels without branches.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.names import PREDICATES
from spmd.dialects.rewriting import erase_if_dead, hint, replace
from spmd.dialects.spmd.kernel import kernels_in


@dataclass(frozen=True)
class UpliftWhileToForPass(ModulePass):
    """Makes counted loops of loops that count; see the module docstring."""

    name = "uplift-while-to-for"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            ranges = IntegerRanges()
            # From the inside out: what is in a loop moves with it.
            loops = [each for each in kernel.walk() if isinstance(each, scf.WhileOp)]
            for loop in reversed(loops):
                if (counting := _counting(loop, ranges)) is not None:
                    _uplift(loop, counting)
                    ranges = IntegerRanges()


@dataclass(frozen=True)
class _Counting:
    """How an `scf.while` counts."""

    number: int
    """Which of the values that it carries is the counter."""
    end: SSAValue
    """The counter stays below that."""
    step: SSAValue


def _counting(loop: scf.WhileOp, ranges: IntegerRanges) -> _Counting | None:
    """How `loop` counts, if it does nothing else to find out whether it goes on."""
    before, after = loop.before_region.block, loop.after_region.block
    condition, following = terminator(before), terminator(after)
    test, *passed = condition.operands
    if not isinstance(test.owner, arith.CmpiOp) or not test.has_one_use():
        return None
    sides = _sides(test.owner)
    if sides is None or any(
        op not in (test.owner, condition) and not _may_move(op, loop)
        for op in before.ops
    ):
        return None
    counter, end = sides
    if not isinstance(counter, BlockArgument) or counter.block is not before:
        return None
    if any(
        not is_outside(each, loop)
        and not (isinstance(each, BlockArgument) and each.block is before)
        for each in passed
    ):
        return None
    here = [a for a, p in zip(after.args, passed, strict=True) if p is counter]
    step = _step(following.operands[counter.index], here, loop)
    if step is None or ranges.of(step).low < 1 or not _is_known_before(end, loop):
        return None
    if ranges.may_count_past_largest(here[0], end, step):
        return None
    return _Counting(counter.index, end, step)


def _sides(test: arith.CmpiOp) -> tuple[SSAValue, SSAValue] | None:
    """The value that has to be smaller, and the one that it is compared with."""
    match PREDICATES[test.predicate.value.data]:
        case "slt":
            return test.lhs, test.rhs
        case "sgt":
            return test.rhs, test.lhs
        case _:
            return None


def _may_move(op: Operation, loop: scf.WhileOp) -> bool:
    """
    Whether `op`, of its test, computes the same before `loop`, which asks at least once.

    That is so if what else is in the test may move as well.
    """
    return FunctionOfOperands.of(op) is not None and all(
        _is_known_before(operand, loop) for operand in op.operands
    )


def _is_known_before(value: SSAValue, loop: scf.WhileOp) -> bool:
    """Whether `value`, as the test of `loop` sees it, is none that the loop carries."""
    return is_outside(value, loop) or isinstance(value.owner, Operation)


def _step(
    value: SSAValue, counters: Sequence[SSAValue], loop: scf.WhileOp
) -> SSAValue | None:
    """What `value` is more than one of the `counters`, the same in all iterations."""
    op = value.owner
    if not isinstance(op, arith.AddiOp) or op.parent is not loop.after_region.block:
        return None
    for counter, step in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if counter in counters and is_outside(step, loop):
            return step
    return None


def _uplift(loop: scf.WhileOp, counting: _Counting) -> None:
    """Put an `scf.for` in the place of `loop`."""
    before, after = loop.before_region.block, loop.after_region.block
    condition, following = terminator(before), terminator(after)
    at, number = Builder.before(loop), counting.number
    for op in tuple(before.ops):
        if op is not condition and op is not condition.operands[0].owner:
            at.move([op])
    begin, passed = loop.arguments[number], condition.operands[1:]
    counted = before.args[number]
    next_count = following.operands[number]
    is_used = any(
        result.first_use and p is counted
        for result, p in zip(loop.results, passed, strict=True)
    )
    by_one = IntegerRanges().of(counting.step).value == 1
    carried = [
        arg for arg in before.args if arg is not counted or (is_used and not by_one)
    ]
    body = Block(arg_types=[counted.type, *(arg.type for arg in carried)])
    inside: dict[SSAValue, SSAValue] = {}
    # Within the loop its own counter stands for one that it carries as well.
    for arg, new in zip((*carried, counted), (*body.args[1:], body.args[0])):
        inside[arg] = hint(new, arg)
    for arg, p in zip(after.args, passed, strict=True):
        arg.replace_all_uses_with(inside.get(p, p))
    nexts = [following.operands[arg.index] for arg in carried]
    Builder.at_end(body, loop).move(op for op in after.ops if op is not following)
    body.add_op(scf.YieldOp(*nexts))
    following.detach()
    following.erase()
    erase_if_dead(next_count)
    inits = [loop.arguments[arg.index] for arg in carried]
    counting_loop = scf.ForOp(begin, counting.end, counting.step, inits, body)
    counting_loop.attributes.update(loop.attributes)
    at.append(counting_loop)
    ends: dict[SSAValue, SSAValue] = dict(
        zip(carried, counting_loop.results, strict=True)
    )
    if is_used and by_one:
        last = arith.MaxSIOp(begin, counting.end)
        ends[counted] = at.add(last, "last")
    replace(loop, (), [ends.get(p, p) for p in passed])
