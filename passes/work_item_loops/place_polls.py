"""
Polls in loops that may take long, so that a launch can be ended.

A launch is ended between work-groups. What one of them does is mostly short; it is not where a
loop goes on for as long as the data says.

```mlir
// before
%n = scf.while (%z = %start) : (f32) -> f32 {
  ...
} do {
^bb0(%z: f32):
  ...
}
scf.for %k = %c0 to %size step %c1 {
  ...
}

// after
%n = scf.while (%z = %start) : (f32) -> f32 {
  ...
} do {
^bb0(%z: f32):
  spmd.poll
  ...
}
scf.for %begin = %c0 to %size step %c65536 {
  spmd.poll
  %left = arith.subi %size, %begin : index
  %count = arith.minui %left, %c65536 : index
  %end = arith.addi %begin, %count : index
  scf.for %k = %begin to %end step %c1 {
    ...
  }
}
```

* An `scf.while` polls in every iteration, and so does every cycle of blocks, unless ranges
  bound its iterations (`analysis/ranges/trip_counts.py`).
* An `scf.for` with loops in it polls in every iteration, if all of them together may take
  long.
* Any other `scf.for` that may take long is cut into strips and polls between them, so that
  LLVM still sees a loop that does nothing but count: what HotSpot does for its safepoints
  ("loop strip mining", JDK-8186027). If its bounds are found in a loop around it, such as
  the ends of the rows of a sparse matrix, that loop polls instead: to start a loop of a few
  iterations must not cost more than to run it.

A poll between two work-groups keeps LLVM from moving anything out of the loop over them, such
as what the group reads that is the same for all groups. Where no code of a group polls, and it
has no local memory, the function says how many groups may run in a row:
`spmd.groups_between_polls`.

Requires: level 1 or 4; nothing but the targets comes after it.
Ensures: between two polls lie about `LONGEST` iterations at most, calls and the loops that
the last rule leaves alone not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from spmd.analysis.graphs.traversal import post_order, successors_of
from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.ranges.trip_counts import most_iterations
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.interfaces.cost import cost_class
from spmd.dialects.rewriting import hint, replace
from spmd.dialects.spmd import PollOp
from spmd.dialects.work_groups import (
    GROUPS_BETWEEN_POLLS,
    WORK_GROUP_FUNCTION,
    is_group_memory,
)

LONGEST = 1 << 20
"""Iterations without a poll, those of a nest of loops multiplied: some milliseconds."""

STRIP = 1 << 16
"""Iterations of a strip."""

ROW_COST = 1 << 22
"""What the groups that run in a row cost together: some milliseconds."""

SHORT = 1 << 6
"""Iterations in the body of a loop up to which polling in each costs too much."""


@dataclass(frozen=True)
class PlacePollsPass(ModulePass):
    """Polls in loops that may take long; see the module docstring."""

    name = "place-polls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                placing = _Placing(ConstantPool(function.body.blocks[0]))
                code = placing.region(function.body)
                for loop in code.long:
                    placing.cut(loop)
                groups = int(ROW_COST / max(code.cost, 1))
                if groups > 1 and _gains_by_rows(function):
                    count = IntegerAttr(groups, i64)
                    function.attributes[GROUPS_BETWEEN_POLLS] = count


def _gains_by_rows(function: FuncOp) -> bool:
    """
    Whether `function` runs work-groups that may share what LLVM moves out of their loop.

    Those with local memory mostly work on that, and what is moved out, such as the places of
    a tile, fills registers that they need: a transpose took twice as long.
    """
    return WORK_GROUP_FUNCTION in function.attributes and not any(
        is_group_memory(op) for op in function.body.blocks[0].ops
    )


@dataclass(frozen=True)
class _Code:
    """What is known of some code in which polls have been placed."""

    iterations: float
    """Between two polls at most, once the loops in `long` are cut."""

    cost: float
    """Of running all of it, at most and about; infinite where it polls."""

    long: Sequence[scf.ForOp] = ()
    """Loops that are cut, unless a loop around them polls."""


@dataclass
class _Placing:
    """The polls of one function."""

    constants: ConstantPool
    ranges: IntegerRanges = field(default_factory=IntegerRanges)

    def region(self, region: Region) -> _Code:
        """Places polls in all loops of `region`."""
        inner = [
            self.op(op)
            for block in region.blocks
            for op in tuple(block.ops)
            if op.regions
        ]
        sources = _sources_of_back_edges(region)
        for block in sources:
            Builder.before(terminator(block)).append(PollOp())
        iterations = 1 + sum(code.iterations for code in inner)
        cost = sum(cost_class(op) for block in region.blocks for op in block.ops)
        cost += sum(code.cost for code in inner)
        loops = [loop for code in inner for loop in code.long]
        return self._polling(loops) if sources else _Code(iterations, cost, loops)

    def op(self, op: Operation) -> _Code:
        """Places polls in an op with regions."""
        inner = [self.region(region) for region in op.regions]
        iterations = max(code.iterations for code in inner)
        cost = sum(code.cost for code in inner)
        loops = [loop for code in inner for loop in code.long]
        if not isinstance(op, scf.ForOp | scf.WhileOp):
            return _Code(iterations, cost, loops)
        here = [loop for loop in loops if not _has_bounds_outside(loop, op)]
        most = most_iterations(op, self.ranges)
        if most * iterations <= LONGEST and not here:
            # What polls costs infinitely much, but nothing where it never runs.
            return _Code(most * iterations, most and most * cost, loops)
        short = iterations <= SHORT and not loops
        if isinstance(op, scf.ForOp) and short and self._strip(op) is not None:
            return _Code(1, inf, [op])
        body = op.regions[-1].block
        Builder(InsertPoint.at_start(body), op).append(PollOp())
        if most > LONGEST:
            return self._polling(loops)
        return _Code(1, inf, [loop for loop in loops if loop not in here])

    def _polling(self, loops: Iterable[scf.ForOp]) -> _Code:
        """Code that polls, around `loops`: the others will do without."""
        return _Code(1, inf, [loop for loop in loops if self._is_surely_long(loop)])

    def _is_surely_long(self, loop: scf.ForOp) -> bool:
        lower, upper = self.ranges.of(loop.lb), self.ranges.of(loop.ub)
        return upper.low - lower.high > LONGEST * self.ranges.of(loop.step).high

    def _strip(self, loop: scf.ForOp) -> int | None:
        """What the counter of `loop` grows by in a strip, if that can be said."""
        width, step = bit_width(loop.step.type), self.ranges.of(loop.step).value
        if width is None or step is None or step <= 0:
            return None
        length = IntegerRange.constant(step * STRIP)
        return length.value if length.fits(width) else None

    def cut(self, loop: scf.ForOp) -> None:
        """Cuts `loop` into strips, and polls between them."""
        length = self._strip(loop)
        assert length is not None, "only such loops are cut"
        body = Block(arg_types=[loop.lb.type, *loop.result_types])
        begin, *carried = body.args
        hint(begin, "begin")
        for inside, argument in zip(carried, loop.body.block.args[1:], strict=True):
            hint(inside, argument)
        at = Builder.at_end(body, loop)
        at.append(PollOp())
        strip = self.constants.number(length, loop.lb.type)
        left = at.add(arith.SubiOp(loop.ub, begin), "left")
        count = at.add(arith.MinUIOp(left, strip), "count")
        end = at.add(arith.AddiOp(begin, count), "end")
        part = scf.ForOp(begin, end, loop.step, carried, loop.detach_region(loop.body))
        part.attributes.update(loop.attributes)
        for result, like in zip(part.results, loop.results, strict=True):
            hint(result, like)
        at.append(part, scf.YieldOp(*part.results))
        replace(loop, scf.ForOp(loop.lb, loop.ub, strip, loop.iter_args, body))


def _has_bounds_outside(loop: scf.ForOp, around: Operation) -> bool:
    """Whether `loop` runs from and to the same numbers in all iterations of another."""
    return is_outside(loop.lb, around) and is_outside(loop.ub, around)


def _sources_of_back_edges(region: Region) -> Sequence[Block]:
    """Blocks such that every cycle of blocks goes through one of them."""
    if len(region.blocks) < 2:
        return ()
    order = post_order((region.blocks[0],), successors_of)
    position = {block: number for number, block in enumerate(order)}
    return [
        block
        for block in order
        if any(position[to] >= position[block] for to in successors_of(block))
    ]
