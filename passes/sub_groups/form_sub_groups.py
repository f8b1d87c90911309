"""
Level 1 to level 2: work-items become the lanes of sub-groups.

A work-item loop is strip-mined: full sub-groups in a loop, and one more with a `count`
of lanes for what is left over. Where the trip count is known, only the parts that can
occur are built, and the sub-group is no wider than the loop is long. Where it is not, and a
machine has no masks for what is accessed, as for bytes with AVX2, the loop stays for what is
left over, if that is cheaper.

In a nest of loops lanes go along the dimensions where they cost least, also in rows along
several (`lane_shape.py`); the option `shape` fixes that.

A function with `spmd.sub_group_size` gets sub-groups of that size, whatever the option
`width` says. In loops with sub-group operations, lanes follow the linear local id: see
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
from functools import cache
from math import prod
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import analyze_work_items
from spmd.dialects.building import ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import enclosing
from spmd.dialects.remarks import (
    FormedSubGroups,
    NotVectorized,
    is_listened_to,
    remark,
)
from spmd.dialects.rewriting import trip_count
from spmd.dialects.spmd import KernelOp, SubGroupOp, needs_sub_groups
from spmd.dialects.work_groups import NOT_LAUNCHED, NOT_VECTORIZED
from spmd.passes.sub_groups.choices.lane_shape import (
    choose_lane_shape,
    fixed_lane_shape,
    why_shape,
)
from spmd.passes.sub_groups.choices.lane_terms import LaneShape
from spmd.passes.sub_groups.choices.vector_width import (
    Width,
    check_shape,
    check_width,
    why_width,
)
from spmd.passes.sub_groups.choices.vectorization_cost import (
    why_lanes_cost_more,
    why_left_to_llvm,
    why_rest_stays,
)
from spmd.passes.sub_groups.linear_sub_groups import (
    answer_for_one_lane,
    answer_queries,
    linear_loops,
)
from spmd.passes.sub_groups.strip_mining import strip_mine, strip_mine_tiles
from spmd.passes.sub_groups.vectorization_legality import (
    expect_lanes,
    why_not_vectorizable,
)
from spmd.passes.targets import DEFAULT_TARGET, Target, target_named
from spmd.passes.work_item_loops.interchange import interchange, interchangeable_nest
from spmd.passes.work_item_loops.kernels_to_functions import SUB_GROUP_SIZE
from spmd.passes.work_item_loops.nests import innermost_loops, nests_in


@dataclass(frozen=True)
class FormSubGroupsPass(ModulePass):
    """Strip-mines work-item loops; see the module docstring."""

    name = "form-sub-groups"

    width: int | Literal["auto"] = "auto"
    """Lanes of a sub-group, a power of two from 1 to 64, or `auto`."""

    shape: tuple[int, ...] = ()
    """Lanes along x, y and z instead of a width, of which there are fewer where there are
    not as many work-items. Loops with sub-group operations keep their sub-groups."""

    target: str | int = DEFAULT_TARGET
    """What `auto` is for: a name of `passes/targets.py`, or the bits of a register."""

    where_needed: bool = False
    """Only in functions with sub-group operations."""

    by_cost: bool = True
    """Whether a loop stays scalar where lanes would cost more."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_width(self.width)
        check_shape(self.shape, self.width)
        target = target_named(self.target)
        for function in op.body.block.ops:
            if isinstance(function, KernelOp):
                _let_be(function, "run spmd-to-loops first")
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            constants = ConstantPool(function.body.blocks[0])
            size = sub_group_size(function)
            linear = False
            if size is not None and any(map(needs_sub_groups, function.walk())):
                linear = True
                form_linear_sub_groups(function, size, not self.where_needed, constants)
            if self.where_needed and not is_listened_to():
                continue
            for loop in function.walk():
                if isinstance(loop, scf.ParallelOp):
                    _let_be(loop, _why_not_launched(loop))
            for loop in innermost_loops(function):
                if linear and any(isinstance(op, SubGroupOp) for op in loop.walk()):
                    continue  # a loop over rows
                if self.where_needed:
                    remark(FormedSubGroups, loop, loop, 1, None)
                else:
                    width = self.width if size is None else size
                    shape = self.shape if size is None else ()
                    _form_sub_groups(
                        loop, width, shape, target, self.by_cost, constants
                    )


def _let_be(op: KernelOp | scf.ParallelOp, reason: str) -> None:
    """Note why something that has work-items is no loop over them."""
    op.attributes[NOT_VECTORIZED] = StringAttr(reason)
    remark(NotVectorized, op, reason)


def _why_not_launched(loop: scf.ParallelOp) -> str:
    match loop.attributes.get(NOT_LAUNCHED):
        case StringAttr(data=reason):
            return f"it is not launched: {reason}"
        case _:
            return "run parallel-loops-to-kernels and spmd-to-loops first"


def _form_sub_groups(
    loop: scf.ForOp,
    width: Width,
    wanted: tuple[int, ...],
    target: Target,
    by_cost: bool,
    constants: ConstantPool,
) -> None:
    """Make lanes of one nest, in the shape that is `wanted` or the best one of a width."""
    nest, shape, rest = [loop], LaneShape((0,), (1,)), None
    analyze = cache(lambda: analyze_work_items(nest[0]))
    reason = why_not_vectorizable(loop)
    if reason is None and by_cost:
        reason = why_left_to_llvm(loop, trip_count(loop))
    if reason is None:
        nest = interchangeable_nest(loop)
        shape = (
            fixed_lane_shape(nest, wanted)
            if wanted
            else choose_lane_shape(nest, width, target, analyze)
        )
        if prod(shape.extents) == 1:
            alone = "one work-item needs no lanes"
            reason = "the width is 1" if width == 1 else alone
        elif by_cost and width == "auto" and not wanted:
            lanes = prod(shape.extents)
            reason = why_lanes_cost_more(nest, shape.places, lanes, target, analyze())
            if len(shape.places) == 1 and trip_count(nest[shape.places[0]]) is None:
                rest = why_rest_stays(nest, *shape.places, lanes, target, analyze())
    if reason is not None:
        loop.attributes[NOT_VECTORIZED] = StringAttr(reason)
        remark(FormedSubGroups, loop, loop, 1, reason)
        return
    why = (
        why_width(nest[-1], width, prod(shape.extents), target, analyze)
        if is_listened_to()
        else ""
    )
    others = [place for place in range(len(nest)) if place not in shape.places]
    interchange(nest, (*others, *reversed(shape.places)))
    inner = nest[-len(shape.places) :]
    words = why_shape(inner, shape.extents)
    if len(inner) == 1:
        groups = strip_mine(loop, shape.extents[0], constants, rest)
    else:
        groups = strip_mine_tiles(inner, shape.extents, constants)
    for group in groups[:1] if is_listened_to() else ():
        if wanted:
            why = f"shape={','.join(map(str, wanted))}"
        elif words is not None:
            why = f"{words}; {why}"
        if rest is not None:
            why = f"{why}; {rest}"
        remark(FormedSubGroups, group, loop, group.width, why)


def sub_group_size(function: func.FuncOp) -> int | None:
    """The size of sub-groups that the function fixes."""
    size = function.attributes.get(SUB_GROUP_SIZE)
    return size.value.data if isinstance(size, IntegerAttr) else None


def form_linear_sub_groups(
    function: func.FuncOp, size: int, may_version: bool, constants: ConstantPool
) -> None:
    """
    Sub-groups of the loops whose work-items can tell who is in theirs.

    `may_version` allows for code that only some launches run.
    """
    loops = tuple(nests_in(function))
    if not loops:
        answer_for_one_lane(function)
    for outer in loops:
        if not any(map(needs_sub_groups, outer.walk())):
            continue
        expect_lanes(outer)
        told = False
        for linear in linear_loops(outer, size, may_version, constants):
            loop, row = linear.loop, linear.first_of_row()
            alone = "the sub-group size is 1" if size == 1 else None
            reason = alone or why_not_vectorizable(loop)
            groups = strip_mine(loop, size, constants, None)
            for group in groups:
                answer_queries(group, row, linear.items, size, constants)
                if reason is not None:
                    group.attributes[NOT_VECTORIZED] = StringAttr(reason)
            for group in groups[:1] if not told else ():
                told = True
                lanes = 1 if reason is not None else group.width
                remark(FormedSubGroups, group, loop, lanes, reason)
    for op in function.walk():
        if needs_sub_groups(op) and enclosing(op, SubGroupOp) is None:
            fail(
                op,
                f"expected {op.name} in a work-item loop, got it outside of all of them",
            )
