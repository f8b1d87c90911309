"""Making nests of loops, and finding those over work-items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.dialects.building import Builder
from spmd.dialects.enclosing import function_around, terminator
from spmd.dialects.names import NEGATED
from spmd.dialects.rewriting import (
    constant_index,
    has_no_effect,
    hint,
    splat_number,
)
from spmd.dialects.spmd import LocalSizeOp
from spmd.dialects.work_groups import is_work_item_loop, range_arguments

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
                if is_work_item_loop(inner):
                    yield inner
                else:
                    yield from nests_in(inner)


def innermost_loops(function: func.FuncOp) -> list[scf.ForOp]:
    """The work-item loops of `function` that contain no other, in order."""
    loops = [*filter(is_work_item_loop, function.walk())]
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
        is_work_item_loop(inner := loops[-1].body.block.first_op)
        and inner.next_op is loops[-1].body.block.last_op
    ):
        loops.append(inner)
    return loops


def nest_around(loop: scf.ForOp) -> scf.ForOp:
    """The outermost of the work-item loops around `loop` that have nothing in them but each other."""
    while is_work_item_loop(outer := loop.parent_op()) and loops_of(outer)[1:2] == [
        loop
    ]:
        loop = outer
    return loop


def sink_into_nest(outer: scf.ForOp) -> None:
    """Moves what has no effect from between work-item loops to where it is used, in the inner one."""
    inner = next(filter(is_work_item_loop, outer.body.block.ops), None)
    if inner is None:
        return
    for op in reversed(tuple(outer.body.block.ops)):
        if has_no_effect(op) and not op.regions and _is_used_in(op, inner.body.block):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.at_start(inner.body.block))
    sink_into_nest(inner)


def _is_used_in(op: Operation, block: Block) -> bool:
    """Whether `op` has results, and nobody outside of `block` asks for them."""
    return bool(op.results) and all(
        block.is_ancestor(use.operation) for result in op.results for use in result.uses
    )


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


def nest_conditions(block: Block) -> None:
    """
    Put what is last in `block` into the `scf.if` that it takes its condition from.

    ```mlir
    // before: `a and b`, where `b` is asked only if `a` holds
    %c = scf.if %a -> (i1) {
      %b = ...
      scf.yield %b : i1
    } else {
      scf.yield %false : i1
    }
    scf.if %c { ... }

    // after
    scf.if %a {
      %b = ...
      scf.if %b { ... }
    }
    ```
    """
    guard = terminator(block).prev_op
    while (
        isinstance(guard, scf.IfOp)
        and not guard.results
        and not guard.false_region.blocks
        and isinstance(first := guard.cond.owner, scf.IfOp)
        and first.next_op is guard
        and len(first.results) == 1
        and guard.cond.has_one_use()
        and splat_number(terminator(first.false_region.block).operands[0]) == 0
    ):
        then = first.true_region.block
        end = terminator(then)
        guard.operands[0] = end.operands[0]
        guard.detach()
        then.insert_op_before(guard, end)
        Rewriter.replace_op(end, scf.YieldOp())
        around = scf.IfOp(first.cond, (), [first.true_region.detach_block(then)])
        Builder.before(first).append(around)
        Rewriter.erase_op(first)
        guard = around


def spread_negation(guard: scf.IfOp) -> None:
    """
    Let the condition of `guard` be what all has to hold, where it says that nothing of some does.

    ```mlir
    // before
    %edge = arith.ori %first, %last : i1
    %inside = arith.xori %edge, %true : i1

    // after
    %inside = arith.andi %not_first, %not_last : i1
    ```
    """
    condition = guard.cond
    inner = _negated_by(condition)
    if inner is None or (_negated_by(inner) is None and not _compares(inner)):
        return
    negated = _negated(inner, Builder.before(guard))
    guard.operands[0] = hint(negated, condition)


def _negated_by(value: SSAValue) -> SSAValue | None:
    """What `value` is the negation of."""
    op = value.owner
    if not isinstance(op, arith.XOrIOp) or value.type != i1:
        return None
    # Constants are on the right.
    return op.lhs if splat_number(op.rhs) in (1, -1) else None


def _compares(value: SSAValue) -> bool:
    """Whether integers are compared at `value`, or it is a disjunction with such a part."""
    op = value.owner
    if isinstance(op, arith.OrIOp):
        return _compares(op.lhs) or _compares(op.rhs)
    return isinstance(op, arith.CmpiOp)


def _negated(value: SSAValue, at: Builder) -> SSAValue:
    op = value.owner
    if isinstance(op, arith.CmpiOp):
        opposite = NEGATED[op.predicate.value.data]
        return at.add(arith.CmpiOp(op.lhs, op.rhs, opposite))
    if isinstance(op, arith.OrIOp) and _compares(value):
        left, right = (_negated(side, at) for side in (op.lhs, op.rhs))
        return at.add(arith.AndIOp(left, right))
    if (inner := _negated_by(value)) is not None:
        return inner
    true = at.add(arith.ConstantOp(IntegerAttr.from_bool(True)))
    return at.add(arith.XOrIOp(value, true))


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
