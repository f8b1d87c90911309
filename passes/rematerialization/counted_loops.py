"""
Counted loops whose bounds differ between work-items, but not the number of iterations.

```mlir
// before
%r = scf.for %i = %lower to %upper step %step iter_args(%a = %v) -> (f32) {
  ...
  scf.yield %b : f32
}
// after
%last, %r = scf.while (%i = %lower, %a = %v) : (index, f32) -> (index, f32) {
  %more = arith.cmpi slt, %i, %upper : index
  scf.condition(%more) %i, %a : index, f32
} do {
^bb0(%i: index, %a: f32):
  ...
  %next = arith.addi %i, %step : index
  scf.yield %next, %b : index, f32
}
```

Where the counter may pass the largest number of its type, `%next` is `%upper` instead.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import hint, locate, replace


def next_count(
    at: Builder, loop: scf.ForOp, counter: SSAValue, ranges: IntegerRanges | None = None
) -> SSAValue:
    """
    What `counter`, which is below the end of `loop`, is in the next iteration.

    `ranges` know the bounds of `loop`, where the IR around it cannot be asked just now.
    """
    following = at.add(arith.AddiOp(counter, loop.step))
    if not (ranges or IntegerRanges()).may_count_past_largest(
        counter, loop.ub, loop.step
    ):
        return following
    left = at.add(arith.SubiOp(loop.ub, counter), "left")
    fits = at.add(arith.CmpiOp(left, loop.step, "ugt"), "fits")
    return at.add(arith.SelectOp(fits, following, loop.ub))


def for_to_while(loop: scf.ForOp, ranges: IntegerRanges | None = None) -> scf.WhileOp:
    """Replace `loop` by an `scf.while` that counts itself; `ranges` as of `next_count`."""
    body_region = loop.detach_region(loop.body)
    body = body_region.block
    types = [argument.type for argument in body.args]
    before = Block(arg_types=types)
    for argument, like in zip(before.args, body.args, strict=True):
        hint(argument, like)
    more = arith.CmpiOp(before.args[0], loop.ub, "slt")
    before.add_ops((more, scf.ConditionOp(more, *before.args)))
    end = terminator(body)
    following = next_count(Builder.before(end), loop, body.args[0], ranges)
    end.operands = (following, *end.operands)
    new = scf.WhileOp((loop.lb, *loop.iter_args), types, Region(before), body_region)
    new.attributes = loop.attributes
    locate(new, loop)
    replace(loop, new, new.res[1:])
    return new
