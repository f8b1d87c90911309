"""Making nests of loops, and finding those over work-items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from spmd.dialects.enclosing import function_around
from spmd.dialects.rewriting import constant_index, has_no_effect
from spmd.dialects.spmd import LocalSizeOp
from spmd.dialects.work_groups import range_arguments, work_item_dimension

Bounds = tuple[SSAValue, SSAValue, SSAValue]
"""Lower bound, upper bound and step of a loop."""


def nested_loops(
    bounds: Iterable[Bounds], carried: Sequence[SSAValue] = ()
) -> list[scf.ForOp]:
    """
    Loops in each other, from the outside, that carry the same values.

    The body of the innermost one is empty.
    """
    loops: list[scf.ForOp] = []
    for lower, upper, step in bounds:
        body = Block(arg_types=[IndexType(), *(value.type for value in carried)])
        loop = scf.ForOp(lower, upper, step, carried, body)
        if loops:
            loops[-1].body.block.add_ops((loop, scf.YieldOp(*loop.res)))
        loops.append(loop)
        carried = body.args[1:]
    return loops


def nests_in(op: Operation) -> Iterator[scf.ForOp]:
    """The outermost work-item loops in `op`."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if (
                    isinstance(inner, scf.ForOp)
                    and work_item_dimension(inner) is not None
                ):
                    yield inner
                else:
                    yield from nests_in(inner)


def innermost_loops(function: func.FuncOp) -> list[scf.ForOp]:
    """The work-item loops of `function` that contain no other, in order."""
    loops = [
        op
        for op in function.walk()
        if isinstance(op, scf.ForOp) and work_item_dimension(op) is not None
    ]
    # What contains one at all contains the next one.
    return [
        loop
        for loop, following in zip(loops, (*loops[1:], None), strict=False)
        if following is None or not loop.is_ancestor(following)
    ]


def loops_of(nest: scf.ForOp) -> list[scf.ForOp]:
    """`nest` and the work-item loops that are all that is in it, from the outside."""
    loops = [nest]
    while (
        isinstance(inner := loops[-1].body.block.first_op, scf.ForOp)
        and work_item_dimension(inner) is not None
        and inner.next_op is loops[-1].body.block.last_op
    ):
        loops.append(inner)
    return loops


def guard_of(loop: scf.ForOp) -> scf.IfOp | None:
    """The `scf.if` around all effects of the body of `loop`."""
    end = loop.body.block.last_op
    guard = end.prev_op if end is not None else None
    if not isinstance(guard, scf.IfOp) or guard.results:
        return None
    if guard.false_region.blocks and guard.false_region.block.first_op is not (
        guard.false_region.block.last_op
    ):
        return None
    at = guard.prev_op
    while at is not None:
        if not has_no_effect(at):
            return None
        at = at.prev_op
    return guard


def is_local_size(value: SSAValue) -> bool:
    """Whether `value` is the local size in some dimension, which is at least one."""
    if (number := constant_index(value)) is not None:
        return number > 0
    if isinstance(value.owner, LocalSizeOp):
        return True
    smaller = value.owner
    if not isinstance(smaller, arith.MinUIOp):
        return False
    rest = smaller.rhs.owner
    arguments = range_arguments(function_around(smaller))
    return (
        isinstance(rest, arith.SubiOp)
        and isinstance(base := rest.rhs.owner, arith.MuliOp)
        and base.lhs is smaller.lhs
        and base.rhs in arguments[:3]
        and rest.lhs in arguments[6:]
    )
