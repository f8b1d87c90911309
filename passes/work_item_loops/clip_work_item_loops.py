"""
Turns a condition around the whole body of work-item loops into loop bounds.

A condition that holds in the first work-items and in no others (`global_id < n`) ends the
loop earlier; one that holds in a single work-item (`local_id == 0`) leaves no loop; one
that is the same in all work-items moves around the loops. This works in each dimension.

```mlir
// before
scf.for %lx = %c0 to %local_size_x step %c1 {
  %i = arith.addi %base_x, %lx overflow<nsw, nuw> : index
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    ...
  }
} {spmd.work_items = array<i64: 0>}

// after
%end = arith.maxui %n, %base_x : index
%inside_x = arith.subi %end, %base_x : index
%active_x = arith.minui %local_size_x, %inside_x : index
scf.for %lx = %c0 to %active_x step %c1 {
  %i = arith.addi %base_x, %lx overflow<nsw, nuw> : index
  ...
} {spmd.work_items = array<i64: 0>}
```

Requires: level 1.
Ensures: the same; loops are only made shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import analyze_work_items
from spmd.analysis.divergence.prefix import Bound, conjuncts, prefix_condition
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool, Rematerializer
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.speculation import is_speculatable_from
from spmd.dialects.remarks import ClippedLoop, remark
from spmd.dialects.rewriting import (
    constant_index,
    erase_dead_ops,
    hint,
    locate,
    merge_equal_ops,
    replace_by_body,
)
from spmd.dialects.spmd import needs_sub_groups
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION, work_item_dimension
from spmd.passes.work_item_loops.nests import (
    guard_of,
    is_local_size,
    loops_of,
    nest_conditions,
    nests_in,
)

LONGEST_COPY = 32
"""Operations that a bound may be computed by before the loops."""


@dataclass(frozen=True)
class ClipWorkItemLoopsPass(ModulePass):
    """Loop bounds instead of conditions; see the module docstring."""

    name = "clip-work-item-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if (
                isinstance(function, func.FuncOp)
                and WORK_GROUP_FUNCTION in function.attributes
            ):
                clip_work_item_loops(function)


def clip_work_item_loops(function: func.FuncOp) -> None:
    """Do to one work-group function what the pass does to all."""
    entry = function.body.blocks[0]
    constants = ConstantPool(entry)
    changed = False
    for nest in tuple(nests_in(function)):
        if any(map(needs_sub_groups, nest.walk())):
            continue  # Sub-groups are formed from all work-items, whoever does nothing.
        # One condition may be all there is in another.
        nest_conditions(loops_of(nest)[-1].body.block)
        while (guard := guard_of(loops_of(nest)[-1])) is not None:
            if not _Clipper(nest, guard, constants).clip():
                break
            changed = True
            if nest.parent is None:
                break
    if changed:
        merge_equal_ops(entry)
        erase_dead_ops(function.body)


class _Clipper:
    """Takes from one condition what can become a bound of the loops around it."""

    def __init__(self, nest: scf.ForOp, guard: scf.IfOp, constants: ConstantPool):
        self.nest = nest
        self.guard = guard
        self.constants = constants
        self.loops = {
            dimension: loop
            for loop in loops_of(nest)
            if (dimension := work_item_dimension(loop)) is not None
            and constant_index(loop.lb) == 0
        }
        self.divergence = analyze_work_items(nest)
        self._ranges = IntegerRanges()
        self._before = Builder.before(nest)
        self._copy = Rematerializer(self._before, self._in_first).get

    def clip(self) -> bool:
        """Whether anything changed."""
        left: list[SSAValue] = []
        around: list[SSAValue] = []
        ends: list[tuple[int, Bound]] = []
        places: list[tuple[int, SSAValue, SSAValue]] = []
        for conjunct in conjuncts(self.guard.cond):
            if self.divergence.is_uniform(conjunct) and self._can_copy(conjunct):
                around.append(conjunct)
            elif (end := self._end(conjunct)) is not None:
                ends.append(end)
            elif (place := self._place(conjunct)) is not None:
                places.append(place)
            else:
                left.append(conjunct)
        if not (around or ends or places):
            return False
        for dimension, bound in ends:
            self._shorten(dimension, self._count(bound))
        single = [self._select(*place) for place in places]
        conditions = [self._copy(value) for value in around]
        self._unguard(left)
        if conditions:
            self._guard_nest(conditions)
        for loop in single:
            _run_once(loop)
        return True

    # What a conjunct is.

    def _end(self, conjunct: SSAValue) -> tuple[int, Bound] | None:
        """The dimension that `conjunct` ends, and where."""
        for dimension in self.loops:
            bounds = prefix_condition(self.divergence, conjunct, dimension)
            if bounds is None or len(bounds) != 1:
                continue
            (bound,) = bounds
            if (
                self._varies_only_in(bound.value, dimension)
                and self.divergence.is_uniform(bound.limit)
                and self._can_copy(bound.value)
                and self._can_copy(bound.limit)
            ):
                return dimension, bound
        return None

    def _place(self, conjunct: SSAValue) -> tuple[int, SSAValue, SSAValue] | None:
        """The dimension in which `conjunct` selects one work-item, and what is equal."""
        op = conjunct.owner
        if not isinstance(op, arith.CmpiOp) or op.predicate.value.data != 0:
            return None
        for value, limit in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if not self.divergence.is_uniform(limit):
                continue
            for dimension in self.loops:
                if (
                    self.divergence.shape(value, dimension).stride == 1
                    and self._varies_only_in(value, dimension)
                    and self._can_copy(value)
                    and self._can_copy(limit)
                ):
                    return dimension, value, limit
        return None

    def _varies_only_in(self, value: SSAValue, dimension: int) -> bool:
        return all(
            self.divergence.shape(value, other).is_uniform
            for other in range(3)
            if other != dimension
        )

    # Computing before the loops.

    def _can_copy(self, value: SSAValue) -> bool:
        """Whether `value` can be computed for the first work-item, before the loops."""

        def is_known(at: SSAValue) -> bool:
            return is_outside(at, self.nest) or self._is_id(at)

        return is_speculatable_from(value, is_known, LONGEST_COPY)

    def _is_id(self, value: SSAValue) -> bool:
        return any(value is loop.body.block.args[0] for loop in self.loops.values())

    def _in_first(self, value: SSAValue) -> SSAValue | None:
        """What `value` is in the first work-item, if that takes no operation."""
        if is_outside(value, self.nest):
            return value
        if self._is_id(value):
            return self.constants.index(0)
        return _sum_with_zero(value.owner, self._copy)

    def _as_index(self, value: SSAValue) -> SSAValue:
        if isinstance(value.type, IntegerType):
            return self._before.add(arith.IndexCastOp(value, IndexType()))
        return value

    # Bounds.

    def _count(self, bound: Bound) -> SSAValue:
        """How many work-items, from the first, are within `bound`."""
        first, limit = self._copy(bound.value), self._copy(bound.limit)
        if bound.inclusive:
            return self._count_inclusive(bound, first, limit)
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
        most = self._before.add(arith.MinUIOp(steps, self.constants.index(1 << 32)))
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

    def _shorten(self, dimension: int, count: SSAValue) -> None:
        """Run at most the first `count` work-items."""
        loop = self.loops[dimension]
        hint(count, f"inside_{'xyz'[dimension]}")
        active = self._smaller(loop.ub, count)
        self._end_early(loop, hint(active, f"active_{'xyz'[dimension]}"))

    def _select(self, dimension: int, value: SSAValue, limit: SSAValue) -> scf.ForOp:
        """Run at most the one work-item in which `value` is equal to `limit`."""
        loop = self.loops[dimension]
        first, place = self._copy(value), self._copy(limit)
        if constant_index(first) != 0:
            place = self._before.add(arith.SubiOp(place, first))
        place = self._as_index(place)
        size, one = loop.ub, self.constants.index(1)
        if constant_index(place) == 0 and is_local_size(size):
            self._end_early(loop, one)
            return loop
        lower = self._smaller(size, place)
        number = constant_index(lower)
        following = (
            self._before.add(arith.AddiOp(lower, one))
            if number is None
            else self.constants.index(number + 1)
        )
        loop.operands[0] = lower
        self._end_early(loop, self._smaller(size, following))
        return loop

    def _end_early(self, loop: scf.ForOp, end: SSAValue) -> None:
        if end is not loop.ub:
            loop.operands[1] = end
            remark(ClippedLoop, loop)

    def _smaller(self, a: SSAValue, b: SSAValue) -> SSAValue:
        x, y = self._ranges.of(a), self._ranges.of(b)
        if x.is_non_negative and x.high <= y.low:
            return a
        if y.is_non_negative and y.high <= x.low:
            return b
        return self._before.add(arith.MinUIOp(a, b))

    # Conditions.

    def _unguard(self, left: Sequence[SSAValue]) -> None:
        """Let the condition be what is `left` of it."""
        guard = self.guard
        if left:
            guard.operands[0] = _all_of(left, Builder.before(guard))
        else:
            replace_by_body(guard, guard.true_region.block)

    def _guard_nest(self, conditions: Sequence[SSAValue]) -> None:
        """Put the loops under `conditions`, which are the same in all work-items."""
        guard = scf.IfOp(_all_of(conditions, self._before), (), [Block()])
        self._before.append(guard)
        self.nest.detach()
        guard.true_region.block.add_ops((self.nest, scf.YieldOp()))
        locate(guard, guard)


def _all_of(conditions: Sequence[SSAValue], at: Builder) -> SSAValue:
    """Whether all `conditions` hold."""
    return reduce(lambda one, other: at.add(arith.AndIOp(one, other)), conditions)


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


def _run_once(loop: scf.ForOp) -> None:
    """Put the body of `loop` in its place if it is known to run exactly once."""
    lower, upper = constant_index(loop.lb), constant_index(loop.ub)
    if lower is None or upper != lower + 1:
        return
    body = loop.body.block
    body.args[0].replace_all_uses_with(loop.lb)
    replace_by_body(loop, body)
