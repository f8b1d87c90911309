"""Which work-items, counted from the first, a condition selects: numbers before their loops."""

from __future__ import annotations

from collections.abc import Callable, Collection

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.prefix import Bound
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool, Rematerializer
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.speculation import is_speculatable_from
from spmd.dialects.rewriting import constant_index

LONGEST_COPY = 32
"""Operations that a bound may be computed by before the loops."""

_LARGE = 1 << 32
"""More work-items than a group has."""


class ItemNumbers:
    """Writes the numbers of work-items before a nest of loops over them, which begin at 0."""

    def __init__(
        self, nest: scf.ForOp, loops: Collection[scf.ForOp], constants: ConstantPool
    ):
        self.nest = nest
        self.constants = constants
        self._ids = [loop.body.block.args[0] for loop in loops]
        self._ranges = IntegerRanges()
        self._before = Builder.before(nest)
        self.copy = Rematerializer(self._before, self._in_first).get
        """What a value that `can_copy` is for the first work-item."""

    def can_copy(self, value: SSAValue) -> bool:
        """Whether `value` can be computed for the first work-item, before the loops."""

        def is_known(at: SSAValue) -> bool:
            return is_outside(at, self.nest) or self._is_id(at)

        return is_speculatable_from(value, is_known, LONGEST_COPY)

    def _is_id(self, value: SSAValue) -> bool:
        return any(value is each for each in self._ids)

    def _in_first(self, value: SSAValue) -> SSAValue | None:
        """What `value` is in the first work-item, if that takes no operation."""
        if is_outside(value, self.nest):
            return value
        if self._is_id(value):
            return self.constants.index(0)
        return _sum_with_zero(value.owner, self.copy)

    def _as_index(self, distance: SSAValue) -> SSAValue:
        """A distance from the first work-item: never negative, also as the largest `i8`."""
        if isinstance(distance.type, IntegerType):
            return self._before.add(IndexCastUIOp(distance, IndexType()))
        return distance

    def count(self, bound: Bound) -> SSAValue:
        """How many work-items, from the first, are within `bound`."""
        first, limit = self.copy(bound.value), self.copy(bound.limit)
        if bound.inclusive:
            number = constant_index(limit)
            if number is None or not 0 <= number < _LARGE:
                return self._count_inclusive(bound, first, limit)
            limit = self.constants.index(number + 1)
        if bound.stride == 1 and self._are_sizes(first, limit):
            # LLVM makes better loops of it than of the maximum of the two.
            left = self._before.add(arith.SubiOp(limit, first))
            return self._before.add(arith.MaxSIOp(left, self.constants.index(0)))
        end = limit
        if bound.signed or constant_index(first) != 0:
            end = self._later(bound, first, limit)
        return self._steps(bound, first, end, arith.CeilDivUIOp)

    def _are_sizes(self, first: SSAValue, limit: SSAValue) -> bool:
        """Whether both are indices that are not negative, and either may be larger."""
        if not isinstance(first.type, IndexType) or constant_index(first) == 0:
            return False
        start, end = self._ranges.of(first), self._ranges.of(limit)
        return start.is_non_negative and end.is_non_negative and start.high > end.low

    def _later(self, bound: Bound, first: SSAValue, limit: SSAValue) -> SSAValue:
        """`limit`, or `first` if that is not before it."""
        start, end = self._ranges.of(first), self._ranges.of(limit)
        if (
            start.high <= end.low
        ):  # signed: what an unsigned bound holds is never negative
            return limit
        later = arith.MaxSIOp if bound.signed else arith.MaxUIOp
        return self._before.add(later(limit, first))

    def _count_inclusive(
        self, bound: Bound, first: SSAValue, limit: SSAValue
    ) -> SSAValue:
        steps = self._steps(bound, first, limit, arith.DivUIOp)
        # A group is small; the smallest sum that is too large does for all others.
        most = self._before.add(arith.MinUIOp(steps, self.constants.index(_LARGE)))
        count = self._before.add(arith.AddiOp(most, self.constants.index(1)))
        predicate = "slt" if bound.signed else "ult"
        none = self._before.add(arith.CmpiOp(limit, first, predicate))
        return self._before.add(arith.SelectOp(none, self.constants.index(0), count))

    def _steps(
        self,
        bound: Bound,
        first: SSAValue,
        end: SSAValue,
        divide: type[arith.CeilDivUIOp | arith.DivUIOp],
    ) -> SSAValue:
        """The steps of the bound's stride from `first` to `end`, which is not before."""
        if constant_index(first) != 0:
            end = self._before.add(arith.SubiOp(end, first))
        end = self._as_index(end)
        if bound.stride != 1:
            end = self._before.add(divide(end, self.constants.index(bound.stride)))
        return end

    def are_apart(self, value: SSAValue, loop: scf.ForOp) -> bool:
        """Whether `value`, which grows by one, is another number in each work-item of `loop`."""
        width = bit_width(value.type)
        return width is not None and self._ranges.of(loop.ub).high <= 1 << width

    def place(self, value: SSAValue, limit: SSAValue) -> SSAValue:
        """
        The number of the work-item in which `value`, which grows by one, is equal to `limit`.

        Read as an unsigned number, it is larger than that of any work-item if there is none.
        """
        first, place = self.copy(value), self.copy(limit)
        if constant_index(first) != 0:
            place = self._before.add(arith.SubiOp(place, first))
        return self._as_index(place)

    def following(self, number: SSAValue) -> SSAValue:
        """One more than `number`."""
        known = constant_index(number)
        if known is not None:
            return self.constants.index(known + 1)
        return self._before.add(arith.AddiOp(number, self.constants.index(1)))

    def larger(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The larger of two unsigned numbers."""
        known = self._in_order(a, b)
        return known[1] if known else self._before.add(arith.MaxUIOp(a, b))

    def smaller(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The smaller of two unsigned numbers."""
        known = self._in_order(a, b)
        return known[0] if known else self._before.add(arith.MinUIOp(a, b))

    def _in_order(self, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue] | None:
        """The smaller one first, if that is known."""
        x, y = self._ranges.of(a), self._ranges.of(b)
        if x.is_non_negative and x.high <= y.low:
            return a, b
        if y.is_non_negative and y.high <= x.low:
            return b, a
        return None


def _sum_with_zero(
    op: Operation | Block, find: Callable[[SSAValue], SSAValue]
) -> SSAValue | None:
    """The result of a sum or product one of whose operands is zero, as `find` says."""
    if not isinstance(op, arith.AddiOp | arith.MuliOp):
        return None
    a, b = find(op.lhs), find(op.rhs)
    is_sum = isinstance(op, arith.AddiOp)
    if constant_index(a) == 0:
        return b if is_sum else a
    if constant_index(b) == 0:
        return a if is_sum else b
    return None
