"""
What rises by one from lane to lane where no lane is near an edge.

Beyond the edge of an array a stencil takes the last element, or begins again at the other side,
and a window ends: `max(i - 1, 0)`, `(i + 1) % n`. Nothing proves that lanes are neighbours there,
but two of them say so: where a number rises by at most one from lane to lane, and in the end by
one for each, it rose by one everywhere.

The smaller and the larger of two signed numbers rise by at most one where both do. A remainder
of what rises by one rises by one, or falls, also if it gets the sign of the divisor after. What lanes share
may be added. Numbers that wrap around fall. One of two numbers that rise does so if
the condition that chooses between them is the same in all lanes, as it is if what it compares rises
and the first lane and the last one agree.

The ends of a loop over what a window has of an array, `max(0, r - i)` and `min(len(w), n + r - i)`,
never rise from lane to lane. If the first lane and the last one have the same number, so has every
lane between them; where numbers wrap around on the way, what they are made of rises.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import access_pattern, element_strides
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.ranges.remainders import is_remainder, leaves_digits, rounded_down
from spmd.dialects.interfaces.computation import (
    FunctionOfOperands,
    compares_integers,
    is_shift,
    is_unsigned,
)
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.limits import MAX_LANES
from spmd.dialects.names import PREDICATES

MOST_ASKED = 16
"""Operations that are computed again for a lane."""

LONGEST_FALL = 1 << 16
"""From one lane to the next, so that numbers of 32 bits wrap around once at most."""


def bends(op: Operation | Block) -> bool:
    """Whether equal steps of its operands may give others."""
    if isinstance(op, Block):
        return False
    return (
        isinstance(op, arith.SelectOp)
        or (compares_integers(op) and not isinstance(op, arith.CmpiOp))
        or is_remainder(op)
    )


class Edges:
    """What lanes along one dimension have at their edges; they may lie `across` others as well."""

    def __init__(
        self,
        divergence: Divergence,
        own: SSAValue,
        along: int = 0,
        across: Sequence[int] = (),
    ):
        """`own`: the number of each lane, which rises by one."""
        self.divergence = divergence
        self._own = own
        self._along = along
        self._across = across
        self._ranges = IntegerRanges()
        self._known: dict[SSAValue, bool] = {}
        self._windows: dict[scf.ForOp, bool] = {}
        self._fall: dict[SSAValue, bool] = {}

    def rises(self, index: SSAValue) -> bool:
        """Whether `index` rises by at most one, modulo `2^64`, and may do otherwise than by one."""
        return (
            not self.divergence.shape(index, self._along).is_strided
            and self._is_asked_easily(index)
            and self._rises(self.without_shared(index))
        )

    def may_fall_far(self, value: SSAValue) -> bool:
        """Whether `value`, which rises, may have fallen by `2^64` where it seems to have risen."""
        op, span = value.owner, (1 << 64) - 2 * MAX_LANES
        rest = rounded_down(op) if isinstance(op, arith.SelectOp) else value
        if rest is not None and is_remainder(division := rest.owner):
            assert isinstance(division, Operation), "a remainder is none of a block"
            divisor = self._ranges.of(division.operands[1])
            return 2 * max(divisor.high, -divisor.low) >= span
        known = self._ranges.of(value)
        return known.high - known.low >= span

    def is_window(self, loop: scf.ForOp) -> bool:
        """
        Whether lanes run `loop` equally often, each from the number after its neighbour's, but
        for those near an edge.
        """
        if loop not in self._windows:
            self._windows[loop] = (
                self.is_shared(loop.step)
                and self.divergence.is_divergent(loop, self._along)
                and all(map(self._is_end_of_window, (loop.lb, loop.ub)))
            )
        return self._windows[loop]

    def runs_together(self, loop: scf.ForOp) -> bool:
        """Whether lanes run `loop` from one number to another, but for those near an edge."""
        ends = self.ends_that_fall(loop)
        return (
            bool(ends)
            and self.is_shared(loop.step)
            and all(self._is_asked_easily(end) and self.falls(end) for end in ends)
        )

    def ends_that_fall(self, loop: scf.ForOp) -> Sequence[SSAValue]:
        """The ends of `loop` that lanes do not share, if none of them is another one in each."""
        ends = [end for end in (loop.lb, loop.ub) if not self.is_shared(end)]
        shape = self.divergence.shape
        return [] if any(shape(end, self._along).is_strided for end in ends) else ends

    def falls(self, value: SSAValue) -> bool:
        """Whether `value` falls from lane to lane, or stays, where no number wraps around."""
        if value not in self._fall:
            self._fall[value] = self._never_rises(value)
        return self._fall[value]

    def _never_rises(self, value: SSAValue) -> bool:
        if self.is_shared(value):
            return True
        shape, op, width = self.divergence.shape, value.owner, bit_width(value.type)
        if isinstance(op, arith.CmpiOp) or width is None or width < 32:
            return False
        stride = shape(value, self._along).stride
        if stride is not None:
            across = (shape(value, each).is_uniform for each in self._across)
            return -LONGEST_FALL <= stride < 0 and all(across)
        if isinstance(op, Block):
            return False
        if isinstance(op, arith.IndexCastOp | arith.ExtSIOp):
            narrow = bit_width(op.input.type)
            return narrow is not None and narrow <= width and self.falls(op.input)
        if isinstance(op, arith.SubiOp):
            return self.is_shared(op.rhs) and self.falls(op.lhs)
        signed = compares_integers(op) and not is_unsigned(op)
        adds = isinstance(op, arith.AddiOp)
        return (adds or signed) and all(map(self.falls, op.operands))

    def made_of(self, value: SSAValue) -> Sequence[SSAValue]:
        """What `value`, which falls, is made of that differs in lanes and may wrap around."""

        def parts(value: SSAValue) -> Sequence[SSAValue]:
            op, shape = value.owner, self.divergence.shape(value, self._along)
            if isinstance(op, Block) or self.is_shared(value) or shape.is_strided:
                return ()
            return op.operands

        made = reachable([value], parts)
        return [
            each
            for each in made
            if not self.is_shared(each)
            and (not parts(each) or isinstance(each.owner, arith.AddiOp | arith.SubiOp))
        ]

    def _is_end_of_window(self, bound: SSAValue) -> bool:
        return (
            not self.is_shared(bound)
            and self._is_asked_easily(bound)
            and self._rises(self.without_shared(bound))
        )

    def rising(self, memory: SSAValue, indices: Sequence[SSAValue]) -> int | None:
        """
        Which of `indices` rises by one from lane to lane, but for lanes near an edge.

        It is the only one in which lanes differ, of a dimension of `memory` whose stride is known.
        """
        shape = self.divergence.shape
        differ = [
            place
            for place, index in enumerate(indices)
            if not shape(index, self._along).is_uniform
        ]
        if len(differ) != 1 or element_strides(memory)[differ[0]] is None:
            return None
        index = indices[differ[0]]
        near = self.rises(index) or self.window_of(index) is not None
        return differ[0] if near else None

    def step(self, op: memref.LoadOp | memref.StoreOp) -> int | None:
        """Elements from one lane to the next, but for lanes near an edge."""
        pattern = access_pattern(self.divergence, op, self._along)
        if pattern.stride is not None or not self.is_shared(op.memref):
            return pattern.stride
        strides = element_strides(op.memref)
        if (place := self.rising(op.memref, op.indices)) is not None:
            return strides[place]
        step = 0
        for ahead, stride in zip(map(self._ahead, op.indices), strides, strict=True):
            if ahead is None or (ahead and stride is None):
                return None
            step += ahead * (stride or 0)
        return step

    def _ahead(self, index: SSAValue) -> int | None:
        """By how much `index` is larger from lane to lane, in loops that these run together."""
        total, terms = 0, [(index, 1)]
        # A sum of sums of the same has many terms.
        for value, factor in terms:
            op, stride = value.owner, self.divergence.shape(value, self._along).stride
            if self.is_shared(value):
                continue
            if stride is not None:
                total += factor * stride
            elif (
                isinstance(op, arith.AddiOp | arith.SubiOp) and len(terms) < MOST_ASKED
            ):
                sign = 1 if isinstance(op, arith.AddiOp) else -1
                terms += [(op.lhs, factor), (op.rhs, sign * factor)]
            elif isinstance(op, arith.IndexCastOp):
                terms.append((op.input, factor))
            elif (digit := self.digit(value)) is not None:
                total += factor * digit
            elif not self._is_counter_of_all(value):
                return None
        return total

    def digit(self, value: SSAValue) -> int | None:
        """By how much a row of numbers, or a column, is larger from lane to lane, within a row."""
        op = value.owner
        if isinstance(op, arith.SelectOp):
            op = (rounded_down(op) or value).owner
        if isinstance(op, Block) or (division := IntegerDivision.of(op)) is None:
            return None
        number, divisor = op.operands
        ahead = self.divergence.shape(number, self._along).stride
        if ahead is None or leaves_digits(divisor) or not self.is_shared(divisor):
            return None
        return ahead if division.quotient is None else 0

    def _is_counter_of_all(self, value: SSAValue) -> bool:
        if not isinstance(value, BlockArgument) or value.index != 0:
            return False
        loop = value.block.parent_op()
        return isinstance(loop, scf.ForOp) and self.runs_together(loop)

    def window_of(self, index: SSAValue) -> scf.ForOp | None:
        """The loop over a window whose counter `index` is, but for what lanes share."""
        index = self.without_shared(index)
        if isinstance(index.owner, arith.IndexCastOp | arith.ExtSIOp):
            index = self.without_shared(index.owner.input)  # A counter does not wrap.
        if not isinstance(index, BlockArgument) or index.index != 0:
            return None
        loop = index.block.parent_op()
        return loop if isinstance(loop, scf.ForOp) and self.is_window(loop) else None

    def without_shared(self, value: SSAValue) -> SSAValue:
        """What `value` is the sum of, and of what lanes share; casts of 64 bits change nothing."""
        while (less := self._less(value)) is not None:
            value = less
        return value

    def _less(self, value: SSAValue) -> SSAValue | None:
        """What lanes share something more than, or as much, when they have `value`."""
        op = value.owner
        if isinstance(op, arith.AddiOp | arith.SubiOp):
            if self.is_shared(op.rhs):
                return op.lhs
            adds = isinstance(op, arith.AddiOp)
            return op.rhs if adds and self.is_shared(op.lhs) else None
        if isinstance(op, arith.IndexCastOp):
            widths = {bit_width(each.type) for each in (op.input, op.result)}
            return op.input if widths == {64} else None
        return None

    def _rises(self, value: SSAValue) -> bool:
        """Whether a signed number rises by at most one from lane to lane, or falls."""
        if value not in self._known:
            self._known[value] = self._is_steady(value) or self._bent_rises(value)
        return self._known[value]

    def _bent_rises(self, value: SSAValue) -> bool:
        op, width = value.owner, bit_width(value.type)
        if isinstance(op, Block | arith.CmpiOp) or width is None:
            return False
        if isinstance(op, arith.IndexCastOp | arith.ExtSIOp):
            extends = (bit_width(op.input.type) or width + 1) <= width
            return extends and self._rises(op.input)
        if isinstance(op, arith.SelectOp):
            if self._deciding(op.cond) is not None:
                return self._rises(op.lhs) and self._rises(op.rhs)
            rest = rounded_down(op) if width == 64 else None
            return rest is not None and self._rises(rest)
        if compares_integers(op) and not is_unsigned(op):
            return all(map(self._rises, op.operands))
        if width != 64:
            return False
        if (less := self._less(value)) is not None:
            return self._rises(less)
        if is_remainder(op):
            number, divisor = op.operands
            return self._is_steady(number) and self.is_shared(divisor)
        return compares_integers(op) and all(map(self._is_steady, op.operands))

    def _deciding(self, condition: SSAValue) -> arith.CmpiOp | None:
        """What `condition` is, if it holds in all lanes or in none where its two ends agree."""
        op = condition.owner
        if (
            isinstance(op, arith.CmpiOp)
            and PREDICATES[op.predicate.value.data] in ("slt", "sle", "sgt", "sge")
            and all(map(self._is_steady, op.operands))
            and any(map(self.is_shared, op.operands))
        ):
            return op
        return None

    def conditions(self, value: SSAValue) -> Sequence[arith.CmpiOp]:
        """
        What has to be the same in the first lane and in the last one for `value` to rise.

        Each compares with what lanes share a number that rises by one; if it wraps, it falls.
        """

        def parts(value: SSAValue) -> Sequence[SSAValue]:
            op = value.owner
            if value is self._own or self.is_shared(value) or isinstance(op, Block):
                return ()
            return op.operands

        made = (each.owner for each in reachable([value], parts))
        conditions = (op.cond for op in made if isinstance(op, arith.SelectOp))
        return [op for op in map(self._deciding, conditions) if op is not None]

    def may_be_minus_one(self, divisor: SSAValue) -> bool:
        """Whether a signed division by it may trap, if only in a lane that does not exist."""
        return self._ranges.of(divisor).low < 0

    def _is_steady(self, value: SSAValue) -> bool:
        """Whether it rises by one from lane to lane, or is the same in all."""
        shape = self.divergence.shape
        return shape(value, self._along).stride in (0, 1) and all(
            shape(value, each).is_uniform for each in self._across
        )

    def is_shared(self, value: SSAValue) -> bool:
        """Whether `value` is the same in all these lanes."""
        dimensions = (self._along, *self._across)
        shape = self.divergence.shape
        return all(shape(value, each).is_uniform for each in dimensions)

    def _is_asked_easily(self, index: SSAValue) -> bool:
        """Whether little code that may run for any lane makes `index` of the lane's own."""
        worklist, seen = [index], set[SSAValue]()
        while worklist:
            value = worklist.pop()
            if value is self._own or value in seen or self.is_shared(value):
                continue
            seen.add(value)
            op = value.owner
            if isinstance(op, Block) or FunctionOfOperands.of(op) is None:
                return False
            if is_shift(op) or bit_width(value.type) is None or len(seen) > MOST_ASKED:
                return False
            if IntegerDivision.of(op) is not None and not is_remainder(op):
                return False
            worklist += op.operands
        return True
