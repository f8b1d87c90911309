"""
Lets all work-items run one iteration of a loop before the next.

A loop that nothing in it carries on, and that goes through memory row by row, each work-item
in a column of its own, becomes a loop around the work-items: loop interchange (Allen and Kennedy,
"Automatic Loop Interchange", 1984), which is legal as nothing orders what work-items do between
barriers. A whole row of the group is accessed then, where each sub-group alone would come to all
rows, one cache line in each, and LLVM sees a straight line in code that has no lanes.

```mlir
// before
scf.for %lx = %c0 to %c256 step %c1 {
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %width : index
    %at = arith.addi %row, %lx : index
    memref.store %v, %x[%at] : memref<?xf32>
  }
} {spmd.work_items = array<i64: 0>}

// after
scf.for %i = %c0 to %n step %c1 {
  scf.for %lx = %c0 to %c256 step %c1 {
    %row = arith.muli %i, %width : index
    ...
  } {spmd.work_items = array<i64: 0>}
}
```

Of a loop that work-items begin one beside the other, as in `for (i = global_id; i < n; i +=
global_size)`, the last iterations are those of the first work-items only.

```mlir
// before
scf.for %lx = %c0 to %c256 step %c1 {
  %gid = arith.addi %base_x, %lx overflow<nsw, nuw> : index
  scf.for %i = %gid to %n step %nx {
    ...
  }
} {spmd.work_items = array<i64: 0>}

// after
scf.for %first = %base_x to %n step %nx {
  %left = arith.subi %n, %first : index
  %active_x = arith.minui %c256, %left : index
  scf.for %lx = %c0 to %active_x step %c1 {
    %i = arith.addi %first, %lx overflow<nsw> : index
    ...
  } {spmd.work_items = array<i64: 0>}
}
```

It pays if more accesses are contiguous from work-item to work-item than from iteration to
iteration, and if little has to be computed again in each iteration. Only rows that are far from
each other count, as a page has what the next iterations of lanes access, or others if scalar
code is likely; but any long ones that are stored, as memory takes whole rows in half the time.
Local memory is near in any order. A loop that carries something stays: registers keep that for as
long as it runs, and memory would have to.

Requires: level 1.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import analyze_work_items
from spmd.analysis.divergence.prefix import grows_exactly
from spmd.analysis.ranges.accessed import is_index_of_access
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import memref_type, size_in_bytes
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.remarks import InterchangedLoop, remark
from spmd.dialects.rewriting import (
    NO_SIGNED_WRAP,
    constant_index,
    erase_dead_ops,
    hint,
    locate,
    merge_equal_ops,
    trip_count,
)
from spmd.dialects.spmd import needs_sub_groups
from spmd.dialects.spmd.types import is_local
from spmd.dialects.work_groups import (
    is_work_item_loop,
    work_group_functions,
    work_item_dimension,
)
from spmd.passes.targets import AGAIN, FAR, LINES, STORED_ROW
from spmd.passes.work_item_loops.item_numbers import ItemNumbers
from spmd.passes.work_item_loops.nests import loops_of, nests_in

Access = memref.LoadOp | memref.StoreOp


@dataclass(frozen=True)
class InterchangeLoopsPass(ModulePass):
    """Loops around work-items instead of inside; see the module docstring."""

    name = "interchange-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in work_group_functions(op):
            interchange_loops(function)


def interchange_loops(function: func.FuncOp) -> None:
    """Do to one work-group function what the pass does to all."""
    entry = function.body.blocks[0]
    constants = ConstantPool(entry)
    changed = False
    for nest in tuple(nests_in(function)):
        if any(map(needs_sub_groups, nest.walk())):
            continue  # Sub-groups are formed from all work-items, whoever does nothing.
        while (inner := _inner_loop(nest)) is not None:
            pair = _Pair(nest, inner, constants)
            if not (pair.may_change() and pair.should_change()):
                break
            pair.change()
            changed = True
    if changed:
        merge_equal_ops(entry)
        erase_dead_ops(function.body)


def _inner_loop(nest: scf.ForOp) -> scf.ForOp | None:
    """The loop that is all that `nest` does, but for values that can be computed again."""
    inner = terminator(loops_of(nest)[-1].body.block).prev_op
    if (
        not isinstance(inner, scf.ForOp)
        or is_work_item_loop(inner)
        or (inner.iter_args or nest.iter_args)
        or not (is_outside(inner.ub, nest) and is_outside(inner.step, nest))
        or any(Ordered.of(op) is not None for op in inner.walk())
    ):
        return None
    may_repeat = all(
        FunctionOfOperands.of(op) is not None and not may_trap(op)
        for op in _before(inner)
    )
    return inner if may_repeat else None


def _before(op: Operation) -> Iterator[Operation]:
    """What stands before `op` in its block, the last one first."""
    while (previous := op.prev_op) is not None:
        yield previous
        op = previous


class _Pair:
    """A nest of work-item loops and the loop in it that may become the one around it."""

    def __init__(self, nest: scf.ForOp, inner: scf.ForOp, constants: ConstantPool):
        self._nest = nest
        self._inner = inner
        self._last = loops_of(nest)[-1]
        self._along = work_item_dimension(self._last)
        self._divergence = analyze_work_items(nest)
        self._numbers = ItemNumbers(nest, [self._last], constants)

    def may_change(self) -> bool:
        """Whether all work-items begin with the same number, or one beside the other."""
        return is_outside(self._inner.lb, self._nest) or self._begins_side_by_side()

    def _begins_side_by_side(self) -> bool:
        """Whether each work-item along the last loop begins with one more than the one before."""
        begin = self._inner.lb
        if constant_index(self._last.lb) != 0 or begin.type != IndexType():
            return False
        strides = [self._divergence.shape(begin, d).stride for d in range(3)]
        return (
            strides == [int(d == self._along) for d in range(3)]
            and (
                grows_exactly(self._divergence, begin, self._along)
                or is_index_of_access(self._inner.body.block.args[0])
            )
            and self._numbers.can_copy(begin)
        )

    def should_change(self) -> bool:
        """Whether accesses along memory are worth what is computed again."""
        items = trip_count(self._last)
        if items is not None and items < LINES:
            return False
        is_scalar = self._is_likely_scalar()
        better = 0
        for op in self._accesses():
            step = _step_of(op, self._inner)
            better -= step in (0, 1)
            if self._stride(op) == 1 and not is_local(op.memref.type):
                # In scalar code each work-item comes to all rows, wherever they are.
                is_long = (items or 0) * _bytes_of(op) >= STORED_ROW
                is_row = is_long and isinstance(op, memref.StoreOp)
                apart = 0 if is_scalar or is_row else FAR
                better += step is None or abs(step) * _bytes_of(op) >= apart
        again = sum(map(cost_class, self._computed_again()))
        return better > 0 and again <= AGAIN * better

    def _is_likely_scalar(self) -> bool:
        """Whether atomic operations, or accesses anywhere, may cost more in lanes."""
        ops = self._inner.body.walk()
        return any(cost_class(op) is CostClass.ATOMIC for op in ops) or any(
            self._stride(op) is None for op in self._accesses()
        )

    def _accesses(self) -> Iterator[Access]:
        return (op for op in self._inner.body.walk() if isinstance(op, Access))

    def _stride(self, op: Access) -> int | None:
        return access_pattern(self._divergence, op, self._along).stride

    def _computed_again(self) -> Iterator[Operation]:
        """What is the same in all iterations, but not in all work-items."""
        same = set[SSAValue]()

        def is_same(value: SSAValue) -> bool:
            return value in same or is_outside(value, self._inner)

        body = self._inner.body.block
        for op in chain(_before(self._inner), body.ops):
            if FunctionOfOperands.of(op) is not None and all(map(is_same, op.operands)):
                same.update(op.results)
                if not all(map(self._divergence.is_uniform, op.results)):
                    yield op

    def change(self) -> None:
        """Put the inner loop around the nest."""
        nest, inner = self._nest, self._inner
        counter = inner.body.block.args[0]
        begin, is_common = inner.lb, is_outside(inner.lb, nest)
        if not is_common:
            begin = self._numbers.copy(begin)
        turn = Block(arg_types=[counter.type])
        around = scf.ForOp(begin, inner.ub, inner.step, (), turn)
        around.attributes = inner.attributes
        locate(around, inner)
        first = hint(turn.args[0], counter)
        if is_common:
            counter.replace_all_uses_with(first)
        else:
            number = self._last.body.block.args[0]
            own = arith.AddiOp(first, number, overflow=NO_SIGNED_WRAP)
            at = Builder.before(inner)
            counter.replace_all_uses_with(at.add(own, counter.name_hint))
            first.name_hint = "first"
        Rewriter.erase_op(terminator(inner.body.block))
        Builder.before(inner).move(inner.body.block.ops)
        Rewriter.erase_op(inner)
        Builder.before(nest).append(around)
        Builder.at_end(turn).move((nest,))
        Builder.at_end(turn, nest).append(scf.YieldOp())
        if not is_common:
            self._leave_out(first, around.ub)
        remark(InterchangedLoop, around)

    def _leave_out(self, first: SSAValue, end: SSAValue) -> None:
        """Run no work-item that would begin, if the first one does at `first`, after `end`."""
        # `first` is before it, if perhaps below zero: as an unsigned number this is right.
        at = Builder.before(self._nest)
        left = at.add(arith.SubiOp(end, first), "left")
        active = arith.MinUIOp(self._last.ub, left)
        self._last.operands[1] = at.add(active, f"active_{'xyz'[self._along]}")


def _bytes_of(op: Access) -> int:
    return size_in_bytes(memref_type(op.memref).element_type)


def _step_of(op: Access, loop: scf.ForOp) -> int | None:
    """Elements from one iteration of `loop` to the next; `None` if that is not known."""
    counter = loop.body.block.args[0]
    *rows, step = [_growth(index, counter, loop) for index in op.indices] or [0]
    by = constant_index(loop.step)
    if any(row != 0 for row in rows) or step is None or (step != 0 and by is None):
        return None
    return step * (by or 0)


def _growth(value: SSAValue, counter: SSAValue, loop: scf.ForOp) -> int | None:
    """What `value` grows by when the counter of `loop` grows by one."""
    if value is counter:
        return 1
    if is_outside(value, loop):
        return 0
    match value.owner:
        case arith.AddiOp() as sum_:
            parts = [_growth(each, counter, loop) for each in sum_.operands]
            known = [part for part in parts if part is not None]
            return sum(known) if len(known) == len(parts) else None
        case arith.MuliOp() as product:
            part = _growth(product.lhs, counter, loop)
            factor = 0 if part == 0 else constant_index(product.rhs)
            if part == 0 and _growth(product.rhs, counter, loop) != 0:
                return None
            return None if part is None or factor is None else part * factor
        case _:
            return None
