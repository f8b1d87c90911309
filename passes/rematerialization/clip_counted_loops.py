"""
Ends counted loops where nothing happens any more.

A condition around all that a loop does, which compares the counter with what the loop does not
change, ends the loop. Where it is the same for all work-items, as the first iterations in which
all of them meet, so is the loop: `split-at-barriers` can split it.

```mlir
// before
%end = arith.addi %lid, %c2 : index
scf.for %i = %c0 to %end step %c1 {
  %early = arith.cmpi ult, %i, %c2 : index
  scf.if %early {
    "something"(%i)
  }
}
// after: %end is at least 2
scf.for %i = %c0 to %c2 step %c1 {
  "something"(%i)
}
```

*Legality.* The condition is true up to an iteration and false in all that follow. These have
no effect, and give on what they are given: there is no second branch, or it yields what the
loop carries. Work-items that are not in an iteration any more reached no barrier in it.
An unsigned comparison counts if neither side is negative, `<=` if its right side is not the
largest number.

Requires: nothing.
Ensures: the same; loops are only made shorter.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.names import PREDICATES, SWAPPED
from spmd.dialects.rewriting import erase_dead_ops, has_no_effect, replace_by_body
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in


@dataclass(frozen=True)
class ClipCountedLoopsPass(ModulePass):
    """Bounds of loops instead of conditions in them; see the module docstring."""

    name = "clip-counted-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            clip_counted_loops(kernel)


def clip_counted_loops(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    loops = [op for op in kernel.walk() if isinstance(op, scf.ForOp)]
    constants = ConstantPool(kernel.body.blocks[0])
    clipped = [_clip(loop, constants) for loop in loops]
    if any(clipped):
        erase_dead_ops(kernel.body)


def _clip(loop: scf.ForOp, constants: ConstantPool) -> bool:
    """Shorten one loop; whether it is shorter now."""
    guard = _guard(loop)
    if guard is None or (bound := _bound(loop, guard.cond)) is None:
        return False
    limit, is_inclusive = bound
    at, ranges = Builder.before(loop), IntegerRanges()
    here, there = ranges.of(limit), ranges.of(loop.ub)
    if is_inclusive:
        limit = at.add(arith.AddiOp(limit, constants.number(1, limit.type)), "end")
        here = IntegerRange(here.low + 1, here.high + 1)
    if there.low < here.high:
        limit = at.add(arith.MinSIOp(limit, loop.ub), "end")
    loop.operands[1] = limit
    replace_by_body(guard, guard.true_region.block)
    return True


def _guard(loop: scf.ForOp) -> scf.IfOp | None:
    """The condition around all that `loop` does."""
    body = loop.body.block
    end = terminator(body)
    acting = [op for op in body.ops if op is not end and not has_no_effect(op)]
    if len(acting) != 1 or not isinstance(guard := acting[0], scf.IfOp):
        return None
    other = guard.false_region.blocks.first
    if other is not None and any(
        not has_no_effect(op) for op in other.ops if op is not other.last_op
    ):
        return None
    for argument, value in zip(body.args[1:], end.operands, strict=True):
        if value.owner is guard:
            assert other is not None, "what has results has two branches"
            position = guard.results.index(value)
            value = terminator(other).operands[position]
        if value is not argument:
            return None
    return guard


def _bound(loop: scf.ForOp, condition: SSAValue) -> tuple[SSAValue, bool] | None:
    """What the counter is below where `condition` holds, and whether it may be equal."""
    op, counter = condition.owner, loop.body.block.args[0]
    if not isinstance(op, arith.CmpiOp):
        return None
    number, limit = op.predicate.value.data, op.rhs
    if op.lhs is not counter:
        number, limit = SWAPPED[number], op.lhs
        if op.rhs is not counter:
            return None
    if not is_outside(limit, loop):
        return None
    predicate, ranges = PREDICATES[number], IntegerRanges()
    count, most = ranges.of(counter), ranges.of(limit)
    if predicate in ("ult", "ule") and not (
        count.is_non_negative and most.is_non_negative
    ):
        return None
    largest = IntegerRange.of_width(bit_width(limit.type) or 0).high
    if predicate in ("slt", "ult"):
        return limit, False
    if predicate in ("sle", "ule") and most.high < largest:
        return limit, True
    return None
