"""
Turns a condition around the whole body of work-item loops into loop bounds.

A condition that holds in the first work-items and in no others (`global_id < n`) ends the
loop earlier, and one that holds in the last ones (`global_id > 0`) begins it later; one that
holds in a single work-item (`local_id == 0`) leaves no loop; one that is the same in all
work-items moves around the loops. This works in each dimension. Where all work-items but one
do something (`global_id != n - 1`), those before it run, and then those after it, if there are
any. So the inside of a stencil has no masks, however its edge is tested.

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

```mlir
// before
scf.for %lx = %c0 to %c64 step %c1 {
  %inside = arith.cmpi ne, %lx, %n : index
  scf.if %inside {
    ...
  }
} {spmd.work_items = array<i64: 0>}

// after
%place = arith.minui %c64, %n : index
%next = arith.addi %place, %c1 : index
%after = arith.minui %c64, %next : index
%more = arith.cmpi ult, %after, %c64 : index
%parts_x = arith.select %more, %c2, %c1 : index
scf.for %part = %c0 to %parts_x step %c1 {
  %second = arith.cmpi ne, %part, %c0 : index
  %begin = arith.select %second, %after, %c0 : index
  %end = arith.select %second, %c64, %place : index
  scf.for %lx = %begin to %end step %c1 {
    ...
  } {spmd.work_items = array<i64: 0>}
}
```

Requires: level 1.
Ensures: the same; loops are only made shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import Divergence, analyze_work_items
from spmd.analysis.divergence.prefix import (
    Bound,
    bound_before_suffix,
    conjuncts,
    prefix_bound,
)
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.names import PREDICATES
from spmd.dialects.remarks import ClippedLoop, remark
from spmd.dialects.rewriting import (
    constant_index,
    erase_dead_ops,
    hint,
    locate,
    merge_equal_ops,
    replace_by_body,
    trip_count,
)
from spmd.dialects.spmd import needs_sub_groups
from spmd.dialects.work_groups import work_group_functions, work_item_dimension
from spmd.passes.work_item_loops.item_numbers import ItemNumbers
from spmd.passes.work_item_loops.nests import (
    guard_of,
    is_local_size,
    loops_of,
    nest_conditions,
    nested_loops,
    nests_in,
    spread_negation,
)


@dataclass(frozen=True)
class ClipWorkItemLoopsPass(ModulePass):
    """Loop bounds instead of conditions; see the module docstring."""

    name = "clip-work-item-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in work_group_functions(op):
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
            spread_negation(guard)
            if not _Clipper(nest, guard, constants).clip():
                break
            changed = True
            if nest.parent is None:
                break
    if changed:
        merge_equal_ops(entry)
        erase_dead_ops(function.body)


_BoundOf: TypeAlias = Callable[[Divergence, SSAValue, int], Bound | None]


class _Place(NamedTuple):
    """The work-item along a dimension in which a value is equal to a limit."""

    dimension: int
    value: SSAValue
    limit: SSAValue


class _Parts(NamedTuple):
    """The work-items of a loop up to `place`, and from `after` on, if there is such a part."""

    loop: scf.ForOp
    place: SSAValue
    after: SSAValue
    number: SSAValue
    """Of parts."""


class _Clipper:
    """Takes from one condition what can become a bound of the loops around it."""

    def __init__(self, nest: scf.ForOp, guard: scf.IfOp, constants: ConstantPool):
        self.nest = nest
        self.guard = guard
        self.constants = constants
        self.loops = {
            work_item_dimension(loop): loop
            for loop in loops_of(nest)
            if constant_index(loop.lb) == 0
        }
        self.divergence = analyze_work_items(nest)
        self.numbers = ItemNumbers(nest, self.loops.values(), constants)
        self._before = Builder.before(nest)

    def clip(self) -> bool:
        """Whether anything changed."""
        left: list[SSAValue] = []
        around: list[SSAValue] = []
        ends: list[tuple[int, Bound]] = []
        begins: list[tuple[int, Bound]] = []
        places: list[_Place] = []
        holes: list[_Place] = []
        for conjunct in conjuncts(self.guard.cond):
            if self.divergence.is_uniform(conjunct) and self.numbers.can_copy(conjunct):
                around.append(conjunct)
            elif (end := self._bound(conjunct, prefix_bound)) is not None:
                ends.append(end)
            elif (begin := self._bound(conjunct, bound_before_suffix)) is not None:
                begins.append(begin)
            elif (place := self._place(conjunct, "eq")) is not None:
                places.append(place)
            elif (hole := self._place(conjunct, "ne")) is not None and (
                hole.dimension not in {each.dimension for each in holes}
                and self._may_part()
            ):
                holes.append(hole)
            else:
                left.append(conjunct)
        if not (around or ends or begins or places or holes):
            return False
        for dimension, bound in ends:
            self._end_early(dimension, self.numbers.count(bound))
        for dimension, bound in begins:
            self._begin_late(dimension, self.numbers.count(bound))
        for place in places:
            self._select(*place)
        conditions = [self.numbers.copy(value) for value in around]
        parts = [self._parts(*hole) for hole in holes]
        self._unguard(left)
        if conditions:
            self._guard_nest(conditions)
        for part in parts:
            self._run_in_parts(part)
        for dimension, _, _ in places:
            _run_once(self.loops[dimension])
        return True

    # What a conjunct is.

    def _bound(
        self, conjunct: SSAValue, bound_of: _BoundOf
    ) -> tuple[int, Bound] | None:
        """The dimension in which `bound_of` finds a bound of `conjunct`, and that."""
        for dimension in self.loops:
            bound = bound_of(self.divergence, conjunct, dimension)
            if (
                bound is not None
                and self._varies_only_in(bound.value, dimension)
                and self.divergence.is_uniform(bound.limit)
                and self.numbers.can_copy(bound.value)
                and self.numbers.can_copy(bound.limit)
            ):
                return dimension, bound
        return None

    def _place(self, conjunct: SSAValue, predicate: str) -> _Place | None:
        """Where `conjunct` compares one work-item along a dimension with a limit."""
        op = conjunct.owner
        if not isinstance(op, arith.CmpiOp):
            return None
        if PREDICATES[op.predicate.value.data] != predicate:
            return None
        for value, limit in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if not self.divergence.is_uniform(limit):
                continue
            for dimension, loop in self.loops.items():
                if (
                    self.divergence.shape(value, dimension).stride == 1
                    and self.numbers.are_apart(value, loop)
                    and self._varies_only_in(value, dimension)
                    and self.numbers.can_copy(value)
                    and self.numbers.can_copy(limit)
                ):
                    return _Place(dimension, value, limit)
        return None

    def _may_part(self) -> bool:
        """Whether some work-items may run after others of the rows that follow."""
        return all(Ordered.of(op) is None for op in self.nest.walk())

    def _varies_only_in(self, value: SSAValue, dimension: int) -> bool:
        return all(
            self.divergence.shape(value, other).is_uniform
            for other in range(3)
            if other != dimension
        )

    # Bounds.

    def _end_early(self, dimension: int, count: SSAValue) -> None:
        """Run none after the first `count` work-items."""
        loop, name = self.loops[dimension], "xyz"[dimension]
        hint(count, f"inside_{name}")
        end = hint(self.numbers.smaller(loop.ub, count), f"active_{name}")
        self._let_run(loop, loop.lb, end)

    def _begin_late(self, dimension: int, count: SSAValue) -> None:
        """Leave out the first `count` work-items."""
        loop, name = self.loops[dimension], "xyz"[dimension]
        hint(count, f"outside_{name}")
        # Loops begin and end at a work-item, or after the last one.
        begin = hint(self.numbers.smaller(loop.ub, count), f"begin_{name}")
        self._let_run(loop, self.numbers.larger(loop.lb, begin), loop.ub)

    def _select(self, dimension: int, value: SSAValue, limit: SSAValue) -> None:
        """Run at most the one work-item in which `value` is equal to `limit`."""
        loop, numbers = self.loops[dimension], self.numbers
        place = numbers.place(value, limit)
        end = self.constants.index(1)
        if constant_index(place) != 0 or not is_local_size(loop.ub):
            place = numbers.smaller(loop.ub, place)
            end = numbers.smaller(loop.ub, numbers.following(place))
        self._let_run(loop, numbers.larger(loop.lb, place), end)

    def _let_run(self, loop: scf.ForOp, begin: SSAValue, end: SSAValue) -> None:
        if begin is not loop.lb or end is not loop.ub:
            loop.operands[0], loop.operands[1] = begin, end
            remark(ClippedLoop, loop)

    def _parts(self, dimension: int, value: SSAValue, limit: SSAValue) -> _Parts:
        """What runs all work-items but the one in which `value` is equal to `limit`."""
        loop, numbers, at = self.loops[dimension], self.numbers, self._before
        place = numbers.smaller(loop.ub, numbers.place(value, limit))
        after = numbers.smaller(loop.ub, numbers.following(place))
        second = at.add(arith.CmpiOp(after, loop.ub, "ult"))
        one, two = self.constants.index(1), self.constants.index(2)
        parts = at.add(arith.SelectOp(second, two, one), f"parts_{'xyz'[dimension]}")
        return _Parts(loop, place, numbers.larger(loop.lb, after), parts)

    def _run_in_parts(self, part: _Parts) -> None:
        """Put the nest into a loop that runs it for the first part, and for the second."""
        zero, one = self.constants.index(0), self.constants.index(1)
        [around] = nested_loops([(zero, part.number, one)])
        Builder.before(self.nest).append(around)
        self.nest.detach()
        body = around.body.block
        hint(body.args[0], "part")
        body.add_ops((self.nest, scf.YieldOp()))
        at, loop = Builder.before(self.nest), part.loop
        is_second = at.add(arith.CmpiOp(body.args[0], zero, "ne"), "second")
        begin = at.add(arith.SelectOp(is_second, part.after, loop.lb), "begin")
        end = at.add(arith.SelectOp(is_second, loop.ub, part.place), "end")
        self._let_run(loop, begin, end)

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


def _run_once(loop: scf.ForOp) -> None:
    """Put the body of `loop` in its place if it is known to run exactly once."""
    if trip_count(loop) != 1:
        return
    body = loop.body.block
    body.args[0].replace_all_uses_with(loop.lb)
    replace_by_body(loop, body)
