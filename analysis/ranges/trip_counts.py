"""
How often a loop runs: at most, or always.

Of an `scf.for` it follows from the ranges of its bounds. An `scf.while` is bounded if one of
the integers that it carries is added to or halved in every iteration, and stays in a finite
range (a ranking function, in the words of Floyd, "Assigning meanings to programs", 1967), or
if it loses its lowest bit (`x & (x - 1)`) in every iteration and ends at zero:

```mlir
%last = scf.while (%s = %c128) : (index) -> index {     // at most 8 iterations
  %more = arith.cmpi ugt, %s, %c0 : index
  scf.condition(%more) %s : index
} do {
^bb0(%t: index):
  %half = arith.shrui %t, %c1 : index
  scf.yield %half : index
}
```
"""

from __future__ import annotations

from math import inf

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.enclosing import terminator
from spmd.dialects.names import PREDICATES


def most_iterations(loop: scf.ForOp | scf.WhileOp, ranges: IntegerRanges) -> float:
    """A number that `loop` does not exceed when it is entered; `inf` if none is known."""
    if isinstance(loop, scf.ForOp):
        step = ranges.of(loop.step).low
        distance = ranges.of(loop.ub).high - ranges.of(loop.lb).low
        return max(0, -(-distance // step)) if step > 0 else inf
    condition = terminator(loop.before_region.block)
    following = terminator(loop.after_region.block).operands
    here = loop.after_region.block.args
    most = inf
    for carried, after in zip(loop.before_region.block.args, following, strict=True):
        for passed, value in zip(condition.operands[1:], here, strict=True):
            if passed is carried:
                most = min(most, _most_steps(value, after, ranges))
                if _is_not_zero(condition.operands[0], carried, ranges):
                    most = min(most, _most_bits(value, after, ranges))
    return most


def only_trip_count(loop: scf.ForOp, ranges: IntegerRanges) -> int | None:
    """
    How often `loop` runs in every work-item, if it is the same wherever each begins.

    From any number below 64, a loop to 256 in steps of 64 runs four times.
    """
    step = ranges.of(loop.step).value
    first, end = ranges.of(loop.lb), ranges.of(loop.ub)
    if step is None or step <= 0:
        return None
    most = max(0, -(-(end.high - first.low) // step))
    fewest = max(0, -(-(end.low - first.high) // step))
    return most if most == fewest else None


def _is_not_zero(bit: SSAValue, value: SSAValue, ranges: IntegerRanges) -> bool:
    """Whether `bit` is the comparison `value != 0`."""
    op = bit.owner
    return (
        isinstance(op, arith.CmpiOp)
        and PREDICATES[op.predicate.value.data] == "ne"
        and op.lhs is value
        and ranges.of(op.rhs).value == 0
    )


def _most_bits(value: SSAValue, after: SSAValue, ranges: IntegerRanges) -> float:
    """How often `value` can become `after`, which is `value` without its lowest bit."""
    op = after.owner
    if isinstance(op, arith.AndIOp) and value in op.operands:
        (less,) = {*op.operands} - {value} or {value}
        before = less.owner
        if isinstance(before, arith.SubiOp) and before.lhs is value:
            is_one = ranges.of(before.rhs).value == 1
            return (bit_width(value.type) or inf) if is_one else inf
    return inf


def _most_steps(value: SSAValue, after: SSAValue, ranges: IntegerRanges) -> float:
    """How often `value` can become `after` while it stays in its range."""
    op, width = after.owner, bit_width(value.type)
    if width is None or not isinstance(op, arith.AddiOp | arith.ShRUIOp):
        return inf
    first, second = op.operands
    if isinstance(op, arith.AddiOp) and second is value:
        first, second = second, first
    if first is not value:
        return inf
    found, by = ranges.of(value), ranges.of(second)
    if isinstance(op, arith.ShRUIOp):
        # Zero stays zero; a negative number is a large one.
        halves = found.low > 0 and by.low >= 1
        return found.high.bit_length() if halves else inf
    up = IntegerRange(found.low + by.low, found.high + by.high)
    if by.low <= 0 or not up.fits(width):
        return inf
    return (found.high - found.low) // by.low + 1
