"""
Level 1 to level 2: work-items become the lanes of sub-groups.

A work-item loop is strip-mined: full sub-groups in a loop, and one more with a `count`
of lanes for what is left over. Where the trip count is known, only the parts that can
occur are built, and the sub-group is no wider than the loop is long.

A function with `spmd.sub_group_size` gets sub-groups of that size, whatever the option
`width` says. If it has sub-group operations, lanes follow the linear local id: see
`linear_sub_groups`. Such a loop has sub-groups also where it cannot be vectorized; then
they have `spmd.not_vectorized = "reason"`, and `widen-sub-groups` makes loops over lanes.

Requires: work-item loops, `scf.for` with `spmd.work_items`, as `spmd-to-loops` leaves
them. Of nested ones the innermost is taken.
Ensures: each innermost work-item loop is gone, or stays as it was with
`spmd.not_vectorized = "reason"`; so do kernels and `scf.parallel`, for which it is too early. Whatever `widen-sub-groups` cannot express is found
here: no later step gives up.

```mlir
// before
scf.for %lx = %c0 to %lsx step %c1 {
  %v = memref.load %x[%lx] : memref<?xf32>
  memref.store %v, %y[%lx] : memref<?xf32>
} {spmd.work_items = array<i64: 0>}

// after, width=16
%whole = arith.andi %lsx, %cm16 : index
%rest = arith.andi %lsx, %c15 : index
scf.for %first = %c0 to %whole step %c16 {
  spmd.sub_group (%lx) shape [16] at (%first) {
    %v = memref.load %x[%lx] : memref<?xf32>
    memref.store %v, %y[%lx] : memref<?xf32>
  }
}
spmd.sub_group (%lx) shape [16] at (%whole) count %rest {
  %v = memref.load %x[%lx] : memref<?xf32>
  memref.store %v, %y[%lx] : memref<?xf32>
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import enclosing, terminator
from spmd.dialects.remarks import FormedSubGroups, is_listened_to, remark
from spmd.dialects.rewriting import constant_index, hint
from spmd.dialects.spmd import KernelOp, SubGroupOp, needs_sub_groups
from spmd.dialects.work_groups import NOT_VECTORIZED
from spmd.passes.sub_groups.linear_sub_groups import (
    answer_for_one_lane,
    answer_queries,
    linear_loop,
)
from spmd.passes.sub_groups.vector_width import (
    Width,
    check_width,
    choose_width,
    why_width,
)
from spmd.passes.sub_groups.vectorization_cost import why_not_worthwhile
from spmd.passes.sub_groups.vectorization_legality import (
    expect_lanes,
    why_not_vectorizable,
)
from spmd.passes.work_item_loops.kernels_to_functions import SUB_GROUP_SIZE
from spmd.passes.work_item_loops.nests import innermost_loops, nests_in


def trip_count(loop: scf.ForOp) -> int | None:
    """How many work-items the loop runs, if its bounds are constants (its step is 1)."""
    first, end = constant_index(loop.lb), constant_index(loop.ub)
    return None if first is None or end is None else max(0, end - first)


@dataclass(frozen=True)
class FormSubGroupsPass(ModulePass):
    """Strip-mines work-item loops; see the module docstring."""

    name = "form-sub-groups"

    width: int | Literal["auto"] = "auto"
    """Lanes of a sub-group, a power of two from 1 to 64, or `auto`."""

    where_needed: bool = False
    """Only in functions with sub-group operations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_width(self.width)
        for function in op.body.block.ops:
            if isinstance(function, KernelOp):
                _too_early(function, "spmd-to-loops")
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            constants = ConstantPool(function.body.block)
            size = sub_group_size(function)
            if size is not None and any(map(needs_sub_groups, function.walk())):
                form_linear_sub_groups(function, size, constants)
                continue
            if self.where_needed and not is_listened_to():
                continue
            for loop in function.walk():
                if isinstance(loop, scf.ParallelOp):
                    _too_early(loop, "parallel-loops-to-kernels and spmd-to-loops")
            for loop in innermost_loops(function):
                if self.where_needed:
                    remark(FormedSubGroups, loop, loop, 1, None)
                else:
                    _form_sub_groups(loop, self.width, size, constants)


def _too_early(op: KernelOp | scf.ParallelOp, passes: str) -> None:
    """Note on what only becomes work-item loops that other passes come first."""
    op.attributes[NOT_VECTORIZED] = StringAttr(f"run {passes} first")


def _form_sub_groups(
    loop: scf.ForOp, wanted: Width, size: int | None, constants: ConstantPool
) -> None:
    """Make lanes of one loop, as many as `size` says or about as many as are `wanted`."""
    width = wanted if size is None else size
    items, lanes = trip_count(loop), 1
    reason = why_not_vectorizable(loop) or why_not_worthwhile(loop, items)
    if reason is None:
        lanes = choose_width(loop, width, items)
        if lanes == 1:
            alone = "one work-item needs no lanes"
            reason = "the width is 1" if width == 1 else alone
    if reason is not None:
        loop.attributes[NOT_VECTORIZED] = StringAttr(reason)
        remark(FormedSubGroups, loop, loop, 1, reason)
        return
    groups = strip_mine(loop, lanes, constants)
    if is_listened_to() and groups:
        group = groups[0]
        why = why_width(group.body, width, group.width) if size is None else None
        remark(FormedSubGroups, group, loop, group.width, why)


def sub_group_size(function: func.FuncOp) -> int | None:
    """The size of sub-groups that the function fixes."""
    size = function.attributes.get(SUB_GROUP_SIZE)
    return size.value.data if isinstance(size, IntegerAttr) else None


def form_linear_sub_groups(
    function: func.FuncOp, size: int, constants: ConstantPool
) -> None:
    """Sub-groups of a function whose work-items can tell who is in theirs."""
    loops = tuple(nests_in(function))
    if not loops:
        answer_for_one_lane(function)
    for outer in loops:
        expect_lanes(outer)
        loop = linear_loop(outer, constants)
        items = loop.ub
        reason = "the sub-group size is 1" if size == 1 else why_not_vectorizable(loop)
        groups = strip_mine(loop, size, constants)
        for group in groups:
            answer_queries(group, items, size, constants)
            if reason is not None:
                group.attributes[NOT_VECTORIZED] = StringAttr(reason)
        for group in groups[:1]:
            lanes = 1 if reason is not None else group.width
            remark(FormedSubGroups, group, loop, lanes, reason)
    for op in function.walk():
        if needs_sub_groups(op) and enclosing(op, SubGroupOp) is None:
            fail(
                op,
                f"expected {op.name} in a work-item loop, got it outside of all of them",
            )


def strip_mine(
    loop: scf.ForOp, width: int, constants: ConstantPool
) -> list[SubGroupOp]:
    """Replace `loop` by sub-groups of `width` lanes, and give these."""
    items = trip_count(loop)
    if items is None:
        groups = _strip_mine_dynamic(loop, width, constants)
    else:
        groups = _strip_mine_static(loop, width, items, constants)
    Rewriter.erase_op(loop)
    return groups


def _strip_mine_dynamic(
    loop: scf.ForOp, width: int, constants: ConstantPool
) -> list[SubGroupOp]:
    """Full sub-groups in a loop and one with the rest."""
    at = Builder.before(loop)
    items, from_zero = loop.ub, constant_index(loop.lb) == 0
    if not from_zero:
        items = at.add(arith.SubiOp(loop.ub, loop.lb), "items")
    if not IntegerRanges().of(items).is_non_negative:
        # A loop that ends before it starts has no work-items.
        items = at.add(arith.MaxSIOp(items, constants.index(0)), "items")
    end = whole = at.add(arith.AndIOp(items, constants.index(-width)), "whole")
    rest = at.add(arith.AndIOp(items, constants.index(width - 1)), "rest")
    if not from_zero:
        end = at.add(arith.AddiOp(loop.lb, whole), "end")
    full = _full_sub_groups(at, loop, width, end, constants)
    last = _sub_group(loop, width, end, rest)
    at.append(last)
    return [full, last]


def _strip_mine_static(
    loop: scf.ForOp, width: int, items: int, constants: ConstantPool
) -> list[SubGroupOp]:
    """Only the sub-groups that occur; the last one is as narrow as it can be."""
    at = Builder.before(loop)
    start = constant_index(loop.lb)
    assert start is not None, "a loop with a known trip count starts at a constant"
    whole, rest = divmod(items, width)
    groups: list[SubGroupOp] = []
    if whole == 1:
        groups.append(_sub_group(loop, width, loop.lb))
        at.append(groups[-1])
    elif whole > 1:
        end = constants.index(start + whole * width)
        groups.append(_full_sub_groups(at, loop, width, end, constants))
    if rest:
        lanes = 1 << (rest - 1).bit_length()
        begin = constants.index(start + whole * width)
        count = None if lanes == rest else constants.index(rest)
        groups.append(_sub_group(loop, lanes, begin, count))
        at.append(groups[-1])
    return groups


def _full_sub_groups(
    at: Builder, loop: scf.ForOp, width: int, end: SSAValue, constants: ConstantPool
) -> SubGroupOp:
    """A loop over the sub-groups up to `end`, whose lanes all exist."""
    body = Block(arg_types=[IndexType()])
    group = _sub_group(loop, width, hint(body.args[0], "first"))
    body.add_ops((group, scf.YieldOp()))
    at.append(scf.ForOp(loop.lb, end, constants.index(width), (), body))
    return group


def _sub_group(
    loop: scf.ForOp, width: int, first: SSAValue, count: SSAValue | None = None
) -> SubGroupOp:
    """The body of `loop`, once for each of `width` lanes from `first` on."""
    counts = () if count is None else (count,)
    group = SubGroupOp([width], [first], counts)
    source, target = loop.body.block, group.body.block
    end = terminator(target)
    item = source.args[0]
    lane = hint(target.args[0], item)
    mapping: dict[SSAValue, SSAValue] = {item: lane}
    copies = [op.clone(mapping) for op in source.ops if op is not source.last_op]
    target.insert_ops_before(copies, end)
    return group
