"""
What is left of a loop that is written out, one iteration after the other.

```mlir
%m = scf.for %k = %c0 to %c32 step %c1 iter_args(%r = %zero) -> (i32) {
  %place = arith.index_cast %k : index to i32             // a number in each iteration
  %bit = arith.shrui %v, %place : i32                     // an operation
  ...
}
```

What follows from the counter and constants alone is a number then, also if the loop carries it.
A private array that is accessed at such places is in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from math import inf

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.ranges.trip_counts import most_iterations
from spmd.dialects.enclosing import is_terminator, terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.memory import MemoryAccess

MOST_OPERATIONS = 300
"""Of a loop that LLVM writes out."""


def numbers_in(
    loop: scf.ForOp, outside: AbstractSet[SSAValue] = frozenset()
) -> set[SSAValue]:
    """What is a number in each iteration of `loop`, given the numbers `outside` of it."""
    block = loop.body.block
    counter, *carried = block.args
    begin = {*outside}
    if all(is_number(each, outside) for each in (loop.lb, loop.ub, loop.step)):
        begin.add(counter)
    ends = terminator(block).operands
    assumed = {
        argument: end
        for argument, first, end in zip(carried, loop.iter_args, ends, strict=True)
        if isinstance(first.type, IndexType | IntegerType) and is_number(first, outside)
    }
    while True:
        found = with_numbers_of(block, {*begin, *assumed})
        wrong = [arg for arg, end in assumed.items() if not is_number(end, found)]
        if not wrong:
            return found
        for argument in wrong:
            del assumed[argument]


def with_numbers_of(block: Block, numbers: set[SSAValue]) -> set[SSAValue]:
    """`numbers`, and what follows from them in `block`."""
    for op in block.ops:
        if isinstance(op, scf.ForOp):
            numbers |= numbers_in(op, numbers)
            carried = zip(op.results, op.body.block.args[1:], strict=True)
            numbers |= {result for result, argument in carried if argument in numbers}
        elif op.regions:
            for region in op.regions:
                for inner in region.blocks:
                    with_numbers_of(inner, numbers)
        elif FunctionOfOperands.of(op) is not None and all(
            is_number(operand, numbers) for operand in op.operands
        ):
            numbers.update(op.results)
    return numbers


def is_number(value: SSAValue, numbers: AbstractSet[SSAValue]) -> bool:
    """Whether `value` is a constant, or one of `numbers`."""
    op = value.owner
    if isinstance(op, Operation) and not op.operands:
        return FunctionOfOperands.of(op) is not None
    return value in numbers


def is_in_registers(op: Operation, numbers: AbstractSet[SSAValue]) -> bool:
    """Whether `op` accesses an array of the function at a place that is a number."""
    access = MemoryAccess.of(op)
    if access is None or access.atomic:
        return False
    where = access.written if access.read is None else access.read
    return (
        where is not None
        and isinstance(op.operands[where].owner, memref.AllocaOp)
        and all(is_number(each, numbers) for each in op.operands[where + 1 :])
    )


def makes_registers(loop: scf.ForOp, numbers: AbstractSet[SSAValue]) -> bool:
    """Whether arrays become registers once `loop` is written out, and its counter a number."""
    found = [op for op in loop.walk() if is_in_registers(op, numbers)]
    others = with_numbers_of(loop.body.block, set()) if found else set[SSAValue]()
    return any(not is_in_registers(op, others) for op in found)


def has_few_operations(
    loop: scf.ForOp, numbers: AbstractSet[SSAValue], ranges: IntegerRanges
) -> bool:
    """Whether `loop` is short enough to be written out as scalar code."""
    return (
        written_out(loop, numbers, ranges, lambda op: not is_in_registers(op, numbers))
        <= MOST_OPERATIONS
    )


def written_out(
    loop: scf.ForOp,
    numbers: AbstractSet[SSAValue],
    ranges: IntegerRanges,
    price: Callable[[Operation], float],
) -> float:
    """What `loop` costs if each of its operations has a price; without a known end, no end."""
    if not all(is_number(each, numbers) for each in (loop.lb, loop.ub, loop.step)):
        return inf
    body = _price_of(loop.body.block, numbers, ranges, price)
    return most_iterations(loop, ranges) * body if body else 0


def _price_of(
    block: Block,
    numbers: AbstractSet[SSAValue],
    ranges: IntegerRanges,
    price: Callable[[Operation], float],
) -> float:
    total = 0.0
    for op in block.ops:
        if isinstance(op, scf.ForOp):
            total += written_out(op, numbers, ranges, price)
        elif isinstance(op, scf.WhileOp):
            return inf
        elif is_terminator(op) or (op.results and {*op.results} <= numbers):
            continue
        else:
            inner = (block for region in op.regions for block in region.blocks)
            total += price(op)
            total += sum(_price_of(each, numbers, ranges, price) for each in inner)
    return total
