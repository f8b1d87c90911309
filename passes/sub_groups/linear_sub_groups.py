"""
Sub-groups that a kernel can tell apart: consecutive work-items by linear local id.

`form-sub-groups` uses this for loops with sub-group operations, in functions with
`spmd.sub_group_size`. A nest of work-item loops becomes one loop over the linear id, and what a
work-item asks about its sub-group becomes arithmetic on where the sub-group starts.

```mlir
// before
scf.for %ly = %c0 to %local_size_y step %c1 {
  scf.for %lx = %c0 to %local_size_x step %c1 {
    %id = spmd.sub_group_id
    ...
  } {spmd.work_items = array<i64: 0>}
} {spmd.work_items = array<i64: 1>}

// after, spmd.sub_group_size = 16; and a last sub-group with a count
%items = arith.muli %local_size_x, %local_size_y overflow<nsw, nuw> : index
%whole = arith.andi %items, %cm16 : index
scf.for %first = %c0 to %whole step %c16 {
  %id = arith.divui %first, %c16 : index
  spmd.sub_group (%linear) shape [16] at (%first) {
    %lx = arith.remui %linear, %local_size_x : index
    %ly = arith.divui %linear, %local_size_x : index
    ...
  }
}
```

If `%local_size_x` is a multiple of 16, or there is only one row, lanes of a sub-group are
neighbours along x: there is a version for that, in which the nest stays as it is, sub-groups
follow each other along x, and their accesses are contiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.rewriting import (
    NO_WRAP,
    constant_index,
    hint,
    replace,
)
from spmd.dialects.spmd import (
    BarrierOp,
    CollectiveOp,
    LaneIdOp,
    NumSubGroupsOp,
    ShuffleMode,
    ShuffleOp,
    SubGroupIdOp,
    SubGroupOp,
    SubGroupSizeOp,
)
from spmd.dialects.work_groups import is_work_item_loop, mark_work_items
from spmd.passes.work_item_loops.nests import loops_of, sink_into_nest


@dataclass(frozen=True)
class LinearLoop:
    """A loop over work-items with consecutive linear local ids."""

    loop: scf.ForOp
    items: SSAValue
    """How many the work-group has."""
    rows: tuple[scf.ForOp, ...] = ()
    """The loops around it, each iteration of which is a row; the outermost first."""

    def first_of_row(self) -> SSAValue | None:
        """The linear id of the first work-item in `loop`, if it is asked for and not 0."""
        at = Builder.before(self.loop)
        linear: SSAValue | None = None
        if not any(isinstance(op, SubGroupIdOp) for op in self.loop.walk()):
            return None
        inside = (*self.rows, self.loop)[1:]
        for row, inner in zip(self.rows, inside, strict=True):
            here: SSAValue = row.body.block.args[0]
            if linear is not None:
                here = at.add(arith.AddiOp(linear, here, overflow=NO_WRAP))
            linear = at.add(arith.MuliOp(here, inner.ub, overflow=NO_WRAP))
        return linear


def linear_loops(
    outer: scf.ForOp, size: int, may_version: bool, constants: ConstantPool
) -> tuple[LinearLoop, ...]:
    """
    Loops over the linear local id instead of a nest of work-item loops.

    Where each row of work-items along x has whole sub-groups of `size` lanes, it is the innermost
    of the nest. Where the launch decides about that, and `may_version`, there are two, in the
    branches of an `scf.if`: the first for rows.
    """
    sink_into_nest(outer)
    loops = loops_of(outer)
    for inner in filter(is_work_item_loop, loops[-1].body.walk()):
        fail(inner, "expected work-item loops with nothing between them")
    for loop in loops:
        if constant_index(loop.lb) != 0 or constant_index(loop.step) != 1:
            fail(loop, "expected work-item loops that count from 0 by 1")
        if loop is not outer and outer.is_ancestor(loop.ub.owner):
            fail(
                loop, "expected work-item loops whose ends do not depend on each other"
            )
    row = items = loops[-1].ub
    if len(loops) == 1:
        return (LinearLoop(outer, items),)
    at = Builder.before(outer)
    for loop in loops[-2::-1]:
        counts = constant_index(items), constant_index(loop.ub)
        if counts[0] is not None and counts[1] is not None:
            items = constants.index(counts[0] * counts[1])
        else:
            product = arith.MuliOp(items, loop.ub, overflow=NO_WRAP)
            items = at.add(product, "items")
    known = constant_index(row)
    if known is not None and known % size == 0:
        return (_row_of(outer, items),)
    linear = _linear_loop(loops, items)
    versions = (LinearLoop(linear, items),)
    if known is not None or not may_version:
        at.append(linear)
    else:
        nest = outer.clone()
        at.append(_if_in_rows(at, row, items, size, (nest, linear), constants))
        versions = (_row_of(nest, items), *versions)
    Rewriter.erase_op(outer)
    return versions


def _row_of(nest: scf.ForOp, items: SSAValue) -> LinearLoop:
    *rows, loop = loops_of(nest)
    return LinearLoop(loop, items, tuple(rows))


def _linear_loop(loops: Sequence[scf.ForOp], items: SSAValue) -> scf.ForOp:
    """A loop over the `items` of the nest `loops`, of which the last is the fastest."""
    body = Block(arg_types=[IndexType()])
    inside = Builder.at_end(body)
    rest: SSAValue = hint(body.args[0], "linear")
    mapping: dict[SSAValue, SSAValue] = {}
    outer, *others = loops
    for loop in reversed(others):
        inside.stands_for(loop)
        item = loop.body.block.args[0]
        mapping[item] = inside.add(arith.RemUIOp(rest, loop.ub), item)
        rest = inside.add(arith.DivUIOp(rest, loop.ub))
    item = outer.body.block.args[0]
    mapping[item] = hint(rest, item)
    for op in loops[-1].body.block.ops:
        inside.append(op.clone(mapping))
    return mark_work_items(scf.ForOp(outer.lb, items, outer.step, (), body), 0)


def _if_in_rows(
    at: Builder,
    row: SSAValue,
    items: SSAValue,
    size: int,
    versions: tuple[scf.ForOp, scf.ForOp],
    constants: ConstantPool,
) -> scf.IfOp:
    """The first of `versions` if rows are multiples of sub-groups, or there is only one."""
    part = at.add(arith.AndIOp(row, constants.index(size - 1)))
    whole = at.add(arith.CmpiOp(part, constants.index(0), "eq"))
    alone = at.add(arith.CmpiOp(items, row, "eq"))
    then, otherwise = (Region(Block([loop, scf.YieldOp()])) for loop in versions)
    return scf.IfOp(at.add(arith.OrIOp(whole, alone), "in_rows"), [], then, otherwise)


def answer_queries(
    group: SubGroupOp,
    row: SSAValue | None,
    items: SSAValue,
    size: int,
    constants: ConstantPool,
) -> None:
    """
    Replace what the lanes of `group` ask about it.

    Its row begins with the linear id `row`, or 0; `items` are in the work-group.
    """
    (first,) = group.bases
    count = group.counts[0] if group.counts else constants.index(group.width)
    for op in tuple(group.walk()):
        match op:
            case SubGroupSizeOp():
                replace(op, (), (count,))
            case SubGroupIdOp():
                at = Builder.before(group)
                linear = first
                if row is not None:
                    linear = at.add(arith.AddiOp(row, first, overflow=NO_WRAP))
                number = arith.DivUIOp(linear, constants.index(size))
                replace(op, (), (at.add(number),))
            case NumSubGroupsOp():
                replace(op, arith.CeilDivUIOp(items, constants.index(size)))
            case ShuffleOp() if group.counts and op.mode.data is ShuffleMode.ROTATE:
                lane = LaneIdOp()
                turn = arith.RemUIOp(op.selector, count)
                ahead = arith.AddiOp(lane, turn)
                source = arith.RemUIOp(ahead, count)
                shuffled = ShuffleOp(ShuffleMode.IDX, op.value, source)
                replace(op, (lane, turn, ahead, source, shuffled))
            case _:
                pass


def answer_for_one_lane(function: func.FuncOp) -> None:
    """Replace the sub-group operations of a function that runs a single work-item."""
    for op in tuple(function.walk()):
        match op:
            case LaneIdOp() | SubGroupIdOp():
                replace(op, arith.ConstantOp.from_int_and_width(0, IndexType()))
            case SubGroupSizeOp() | NumSubGroupsOp():
                replace(op, arith.ConstantOp.from_int_and_width(1, IndexType()))
            case CollectiveOp():
                alone = op.result_alone()
                if isinstance(alone, SSAValue):
                    replace(op, (), (alone,))
                else:
                    replace(op, alone)
            case BarrierOp():
                replace(op, ())
            case _:
                pass
