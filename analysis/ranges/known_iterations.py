"""
What integers are in each iteration of a loop that is known to run so often.

The loop is run, as far as its integers go: what it carries is known in the first iteration,
and what it is in the next one follows from the rules of ranges.

```mlir
%last = scf.while (%s = %c4) : (index) -> index {       // %s is 4, 2, 1, and in the end 0
  %more = arith.cmpi ugt, %s, %c0 : index
  scf.condition(%more) %s : index
} do {
^bb0(%t: index):                                        // %t is 4, 2, 1
  %half = arith.shrui %t, %c1 : index
  scf.yield %half : index
}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.enclosing import terminator


def known_iterations(
    loop: scf.ForOp | scf.WhileOp, most: int
) -> list[IntegerRanges] | None:
    """
    The ranges of values in each iteration of `loop`, if there are at most `most` of them.

    The last ones of an `scf.while` are those with which it is not entered again.
    """
    found = _of_for(loop) if isinstance(loop, scf.ForOp) else _of_while(loop)
    iterations: list[IntegerRanges] = []
    for ranges in found:
        if ranges is None or len(iterations) > most:
            return None
        iterations.append(ranges)
    return iterations


def _of_for(loop: scf.ForOp) -> Iterator[IntegerRanges | None]:
    ranges = IntegerRanges()
    first, end, step = (ranges.of(v).value for v in (loop.lb, loop.ub, loop.step))
    if first is None or end is None or step is None or step <= 0:
        yield None
        return
    counter, *carried = loop.body.block.args
    passed: Sequence[SSAValue] = loop.iter_args
    for number in range(first, end, step):
        assumed = _passed(carried, passed, ranges)
        ranges = IntegerRanges(assumed | {counter: IntegerRange.constant(number)})
        yield ranges
        passed = terminator(loop.body.block).operands


def _of_while(loop: scf.WhileOp) -> Iterator[IntegerRanges | None]:
    ranges, passed = IntegerRanges(), loop.arguments
    before, after = loop.before_region.block, loop.after_region.block
    goes_on, *forwarded = terminator(before).operands
    while True:
        assumed = _passed(before.args, passed, ranges)
        ranges = IntegerRanges(assumed)
        condition = ranges.of(goes_on).value
        if condition:
            assumed |= _passed(after.args, forwarded, ranges)
            ranges = IntegerRanges(assumed)
        yield None if condition is None else ranges
        if not condition:
            return
        passed = terminator(after).operands


def _passed(
    arguments: Iterable[SSAValue], values: Iterable[SSAValue], ranges: IntegerRanges
) -> dict[SSAValue, IntegerRange]:
    """What is known of block arguments that get `values`."""
    return {
        argument: ranges.of(value)
        for argument, value in zip(arguments, values, strict=True)
    }
