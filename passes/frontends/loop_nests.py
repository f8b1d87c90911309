"""Loops of `scf.parallel` as counted loops, and what is known of their trip counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.rewriting import (
    constant_index,
    has_no_effect,
    known_numbers,
    replace,
)
from spmd.dialects.work_groups import mark_work_items
from spmd.passes.work_item_loops.nests import Bounds, nested_loops


def reduce_of(loop: scf.ParallelOp) -> scf.ReduceOp:
    """What ends the body of `loop`."""
    end = loop.body.block.last_op
    assert isinstance(end, scf.ReduceOp), "the verifier says so"
    return end


def combined(at: Builder, region: Block, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """What a region of `scf.reduce` makes of two values."""
    known: dict[SSAValue, SSAValue] = {}
    known.update(zip(region.args, (lhs, rhs), strict=True))
    end = terminator(region)
    for op in region.ops:
        if op is not end:
            at.append(op.clone(known))
    return known.get(end.operands[0], end.operands[0])


def merge_nest(loop: scf.ParallelOp) -> scf.ParallelOp:
    """
    One loop for `loop` and those that are all that is in it, as long as bounds allow.

    What stands before an inner one and has no effect goes with it.
    """
    while (inner := _merged_inner(loop)) is not None:
        before = [op for op in loop.body.block.ops if op is not inner][:-1]
        body = Block(
            arg_types=[*loop.body.block.arg_types, *inner.body.block.arg_types]
        )
        for old, new in zip(
            (*loop.body.block.args, *inner.body.block.args), body.args, strict=True
        ):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        Builder.at_end(body).move((*before, *inner.body.block.ops))
        merged = scf.ParallelOp(
            (*loop.lowerBound, *inner.lowerBound),
            (*loop.upperBound, *inner.upperBound),
            (*loop.step, *inner.step),
            [body],
        )
        Rewriter.erase_op(inner)
        replace(loop, merged)
        loop = merged
    return loop


def _merged_inner(loop: scf.ParallelOp) -> scf.ParallelOp | None:
    *before, inner = loop.body.block.ops
    inner = inner.prev_op
    if not isinstance(inner, scf.ParallelOp) or inner.results or loop.results:
        return None
    if not all(is_outside(value, loop) for value in inner.operands):
        return None
    return inner if all(op is inner or has_no_effect(op) for op in before) else None


def _bounds(loop: scf.ParallelOp) -> list[Bounds]:
    return list(zip(loop.lowerBound, loop.upperBound, loop.step, strict=True))


def trip_counts(
    at: Builder, constants: ConstantPool, loop: scf.ParallelOp
) -> list[SSAValue]:
    """How many iterations each dimension has, as values; a step must be positive."""
    return [_trip_count(at, constants, *each) for each in _bounds(loop)]


def known_trip_counts(loop: scf.ParallelOp) -> list[int | None]:
    """How many iterations each dimension has, where that is known."""
    known = [known_numbers(*each) for each in _bounds(loop)]
    return [None if numbers is None else len(numbers) for numbers in known]


def _trip_count(
    at: Builder,
    constants: ConstantPool,
    low: SSAValue,
    high: SSAValue,
    step: SSAValue,
) -> SSAValue:
    if (known := known_numbers(low, high, step)) is not None:
        return constants.index(len(known))
    first, by, zero = constant_index(low), constant_index(step), constants.index(0)
    if by is None:
        positive = at.add(arith.CmpiOp(step, zero, "sgt"))
        message = "expected a step of scf.parallel that is positive"
        at.append(cf.AssertOp(positive, message))
    count = high if first == 0 else at.add(arith.SubiOp(high, low), "count")
    if by != 1:
        count = at.add(arith.CeilDivSIOp(count, step), "count")
    return at.add(arith.MaxSIOp(count, zero), "count")


def counter(
    at: Builder, low: SSAValue, step: SSAValue, number: SSAValue, name: SSAValue
) -> SSAValue:
    """What a counter is in iteration `number`."""
    value = number
    if constant_index(step) != 1:
        value = at.add(arith.MuliOp(value, step), name)
    if constant_index(low) != 0:
        value = at.add(arith.AddiOp(value, low), name)
    return value


def to_loops(loop: scf.ParallelOp) -> None:
    """Put one iteration after the other, the last dimension innermost."""
    loops = nested_loops(_bounds(loop), loop.initVals)
    innermost = loops[-1].body.block
    counters = [each.body.block.args[0] for each in loops]
    _move_body(loop, innermost, counters)
    end = terminator(innermost)
    assert isinstance(end, scf.ReduceOp)
    end.detach()
    at = Builder.at_end(innermost, end)
    carried = [
        combined(at, region.block, old, new)
        for region, old, new in zip(
            end.reductions, innermost.args[1:], end.args, strict=True
        )
    ]
    at.append(scf.YieldOp(*carried))
    end.erase()
    replace(loop, loops[0])


def to_work_item_loops(loop: scf.ParallelOp, constants: ConstantPool) -> None:
    """Mark the iterations of `loop`, of at most three dimensions and no results, as work-items."""
    at = Builder.before(loop)
    zero, one = constants.index(0), constants.index(1)
    counts = trip_counts(at, constants, loop)
    loops = nested_loops((zero, count, one) for count in counts)
    for dimension, each in enumerate(reversed(loops)):
        mark_work_items(each, dimension)
    innermost = loops[-1].body.block
    at = Builder.at_end(innermost, loop)
    counters = [
        counter(at, low, step, each.body.block.args[0], name)
        for low, step, each, name in zip(
            loop.lowerBound, loop.step, loops, loop.body.block.args, strict=True
        )
    ]
    _move_body(loop, innermost, counters)
    replace(terminator(innermost), scf.YieldOp())
    replace(loop, loops[0])


def _move_body(
    loop: scf.ParallelOp, target: Block, counters: Sequence[SSAValue]
) -> None:
    """What `loop` does, at the end of `target`, with these counters."""
    source = loop.body.block
    for old, new in zip(source.args, counters, strict=True):
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Builder.at_end(target).move(source.ops)


def outermost_parallel_loops(root: Operation) -> list[scf.ParallelOp]:
    """The loops in `root` that stand in no other."""
    found: list[scf.ParallelOp] = []
    for region in root.regions:
        for block in region.blocks:
            for op in block.ops:
                if isinstance(op, scf.ParallelOp):
                    found.append(op)
                else:
                    found += outermost_parallel_loops(op)
    return found


def fill(at: Builder, memory: SSAValue, value: SSAValue) -> None:
    """Store `value` to all elements of `memory`, a memref."""
    numbers = ConstantPool(at.point.block)
    rank = cast(MemRefType[Attribute], memory.type).get_num_dims()
    bounds = [
        (
            numbers.index(0),
            at.add(memref.DimOp(memory, numbers.index(dimension))),
            numbers.index(1),
        )
        for dimension in range(rank)
    ]
    loops = nested_loops(bounds)
    indices = [loop.body.block.args[0] for loop in loops]
    store = memref.StoreOp.get(value, memory, indices)
    at.append(loops[0] if loops else store)
    if loops:
        with at.into(loops[-1].body.block):
            at.append(store, scf.YieldOp())
