"""
Loops of blocks that count: which could be written as `scf.for`.

```mlir
^head(%i: index):
  %more = arith.cmpi slt, %i, %upper : index
  cf.cond_br %more, ^body, ^exit
^body:
  ...
  %next = arith.addi %i, %step : index
  cf.br ^head(%next : index)
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.dialects.rewriting import constant_index
from spmd.passes.structuring.block_graph import BlockGraph, Variable
from spmd.passes.structuring.code import HeadedLoop

_BELOW = {2: (0, 1), 4: (1, 0)}
"""For `slt` and `sgt`: which operand is the smaller one where they hold."""

_NOT_BELOW = {5: (0, 1), 3: (1, 0)}
"""For `sge` and `sle`: which operand is the smaller one where they do not hold."""


@dataclass(frozen=True)
class Count:
    """From the value that `induction` has before the loop to below `upper`."""

    induction: Variable
    upper: SSAValue
    step: SSAValue


def find_count(graph: BlockGraph, loop: HeadedLoop, sets: int) -> Count | None:
    """How `loop` counts, if it does; `sets` is all that it sets, as bits."""
    block = graph.blocks[loop.header]
    test, end = block.first_op, block.last_op
    if not isinstance(test, arith.CmpiOp) or test.next_op is not end:
        return None
    if any(use.operation is not end for use in test.result.uses):
        return None
    is_first = graph.jumps[loop.header][0] is loop.inside
    order = (_BELOW if is_first else _NOT_BELOW).get(test.predicate.value.data)
    if order is None:
        return None
    counter, upper = (test.operands[i] for i in order)
    if not isinstance(counter, BlockArgument) or counter.block is not block:
        return None
    induction = graph.variable(counter)
    bound = graph.variable(upper)
    if (
        induction is None
        or induction.bit & graph.live_on(loop.out)
        or (bound is not None and bound.bit & sets)
        or bit_width(counter.type) is None
    ):
        return None
    following = [jump.values[counter.index].owner for jump in loop.back]
    additions = [op for op in following if isinstance(op, arith.AddiOp)]
    steps = [_step(op, counter, upper) for op in additions]
    numbers = {None if step is None else constant_index(step) for step in steps}
    step = steps[0] if steps else None
    if len(additions) < len(following) or len(numbers) != 1 or step is None:
        return None
    return Count(induction, upper, step)


def _step(op: arith.AddiOp, counter: SSAValue, upper: SSAValue) -> SSAValue | None:
    """What `op` adds to `counter`, if that is positive and does not wrap below `upper`."""
    if op.lhs is counter:
        step = op.rhs
    elif op.rhs is counter:
        step = op.lhs
    else:
        return None
    number = constant_index(step)
    if number is None or number <= 0:
        return None
    flags = op.overflow_flags
    if number == 1 or (flags and arith.IntegerOverflowFlag.NSW in flags.data):
        return step
    last = constant_index(upper)
    width = bit_width(counter.type)
    if width is None or last is None:
        return None
    return step if IntegerRange.constant(last + number - 1).fits(width) else None
