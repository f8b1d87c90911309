"""
Sub-groups that a kernel can tell apart: consecutive work-items by linear local id.

`form-sub-groups` uses this for functions with `spmd.sub_group_size` and sub-group
operations. A nest of work-item loops becomes one loop over the linear id, and what a
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
neighbours along x: there is a version for that, in which their accesses are contiguous.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from spmd.passes.work_item_loops.nests import loops_of


def linear_loops(
    outer: scf.ForOp, size: int, may_version: bool, constants: ConstantPool
) -> tuple[scf.ForOp, ...]:
    """
    A loop over the linear local id instead of a nest of work-item loops.

    Where the launch decides whether sub-groups of `size` lanes lie in rows, each along x, and
    `may_version`, there are two, in the branches of an `scf.if`: the first for rows.
    """
    loops = loops_of(outer)
    inner = loops[-1].body.block.first_op
    if is_work_item_loop(inner):
        fail(inner, "expected work-item loops with nothing between them")
    for loop in loops:
        if constant_index(loop.lb) != 0 or constant_index(loop.step) != 1:
            fail(loop, "expected work-item loops that count from 0 by 1")
        if loop is not outer and outer.is_ancestor(loop.ub.owner):
            fail(
                loop, "expected work-item loops whose ends do not depend on each other"
            )
    if len(loops) == 1:
        return (outer,)
    at = Builder.before(outer)
    loops.reverse()  # the fastest first
    row = loops[0].ub
    items = loops[0].ub
    for loop in loops[1:]:
        counts = constant_index(items), constant_index(loop.ub)
        if counts[0] is not None and counts[1] is not None:
            items = constants.index(counts[0] * counts[1])
        else:
            product = arith.MuliOp(items, loop.ub, overflow=NO_WRAP)
            items = at.add(product, "items")
    known = constant_index(row)
    in_rows = known is not None and known % size == 0
    linear = _linear_loop(loops, items, in_rows=in_rows)
    if in_rows or known is not None or not may_version:
        at.append(linear)
        Rewriter.erase_op(outer)
        return (linear,)
    rows = _linear_loop(loops, items, in_rows=True)
    at.append(_if_in_rows(at, row, items, size, (rows, linear), constants))
    Rewriter.erase_op(outer)
    return (rows, linear)


def _linear_loop(
    loops: Sequence[scf.ForOp], items: SSAValue, in_rows: bool
) -> scf.ForOp:
    """
    A loop over the `items` of the nest `loops`, of which the first is the fastest.

    With `in_rows`, the lanes of a sub-group differ in the fastest loop only: what they have
    in common is computed of the first one.
    """
    body = Block(arg_types=[IndexType()])
    inside = Builder.at_end(body)
    rest: SSAValue = hint(body.args[0], "linear")
    mapping: dict[SSAValue, SSAValue] = {}
    lane: SSAValue | None = None
    if in_rows:
        inside.stands_for(loops[0])
        lane = inside.add(LaneIdOp(), "lane")
        rest = inside.add(arith.SubiOp(rest, lane), "first")
    for loop in loops:
        inside.stands_for(loop)
        item = loop.body.block.args[0]
        if loop is loops[-1]:
            here = rest
        else:
            here = inside.add(arith.RemUIOp(rest, loop.ub), item)
            rest = inside.add(arith.DivUIOp(rest, loop.ub))
        if lane is not None and loop is loops[0]:
            here = inside.add(arith.AddiOp(here, lane, overflow=NO_WRAP), item)
        mapping[item] = hint(here, item)
    for op in loops[0].body.block.ops:
        inside.append(op.clone(mapping))
    outer = loops[-1]
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
    group: SubGroupOp, items: SSAValue, size: int, constants: ConstantPool
) -> None:
    """Replace what the lanes of `group` ask about it; `items` are in the work-group."""
    (first,) = group.bases
    count = group.counts[0] if group.counts else constants.index(group.width)
    for op in tuple(group.walk()):
        match op:
            case SubGroupSizeOp():
                replace(op, (), (count,))
            case SubGroupIdOp():
                number = arith.DivUIOp(first, constants.index(size))
                replace(op, (), (Builder.before(group).add(number),))
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
