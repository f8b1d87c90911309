"""
Why a work-item loop had better stay scalar, although it could be vectorized.

Lanes may cost more than they save (`cycles.py`), where elements lie anywhere and there is
little to compute, say. Where a width is asked for, lanes are made nevertheless.

LLVM's own vectorizer handles loops without control flow but comparisons of ids. It is at its
best where it knows that arrays do not overlap, and where the loop around unrolls so that every
length is known: the steps of a tree reduction in local memory, measured to be three times
faster that way than with masks. Global arrays may overlap, and divergent control flow and
calls are beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import Pattern, access_pattern
from spmd.analysis.divergence.analyze import Divergence, analyze_work_items
from spmd.analysis.divergence.edges import Edges
from spmd.analysis.divergence.prefix import compares_ids
from spmd.analysis.ranges.short_integers import short_integers
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs, decisions
from spmd.dialects.interfaces.cost import is_library_function
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.work_groups import (
    is_group_memory,
    is_work_item_loop,
    work_item_dimension,
)
from spmd.passes.sub_groups.choices.cycles import TESTS_OF_LANES, Estimate
from spmd.passes.targets import Target


def why_left_to_llvm(loop: scf.ForOp, items: int | None) -> str | None:
    """
    Why `loop` should be left to LLVM; `None` if lanes are better.

    `items` is its trip count, if that is known.
    """
    if not _is_between_loops(loop):
        return None
    accesses: list[memref.LoadOp | memref.StoreOp] = []
    conditions: list[SSAValue] = []
    for op in loop.body.walk():
        if isinstance(op, scf.IfOp) and not op.results:
            conditions.append(op.cond)
        elif op.regions or is_library_function(op):
            return None
        elif isinstance(op, memref.LoadOp | memref.StoreOp):
            accesses.append(op)
    divergence = analyze_work_items(loop)
    divergent = [each for each in conditions if not divergence.is_uniform(each)]
    if items is not None and not divergent:
        return None
    if not all(compares_ids(divergence, condition) for condition in divergent):
        return None
    for op in accesses:
        pattern = access_pattern(divergence, op).pattern
        if pattern is not Pattern.UNIFORM and not (
            pattern is Pattern.CONTIGUOUS
            and is_group_memory(underlying_object(op.memref).owner)
        ):
            return None
    return "LLVM does as well in a straight line over part of local memory"


def why_lanes_cost_more(
    nest: Sequence[scf.ForOp],
    places: Sequence[int],
    lanes: int,
    target: Target,
    divergence: Divergence,
) -> str | None:
    """Why scalar code is cheaper than lanes along `places` of a nest; `None` if it is not."""
    dimension, *others = (work_item_dimension(nest[place]) for place in places)
    own = nest[places[0]].body.block.args[0]
    edges = Edges(divergence, own, dimension, others)
    short = short_integers(nest[-1])
    estimate = Estimate(
        divergence, edges, dimension, others, lanes, target, short=short
    )
    cycles = estimate.of_block(nest[-1].body.block)
    if cycles.lanes <= cycles.scalar:
        return None
    _, what = cycles.dearest
    return (
        f"lanes would take {cycles.lanes:.1f} cycles for each work-item, most of them for "
        f"{what}; scalar code takes {cycles.scalar:.1f}"
    )


def why_rest_stays(
    nest: Sequence[scf.ForOp],
    place: int,
    lanes: int,
    target: Target,
    divergence: Divergence,
) -> str | None:
    """
    Why work-items that fill no sub-group along `place` stay scalar code; `None` if they do not.

    That is where each access would ask the lanes one by one: half of them are there, mostly.
    """
    if target.masked_load == 8:  # it has masks for everything
        return None
    dimension = work_item_dimension(nest[place])
    edges = Edges(divergence, nest[place].body.block.args[0], dimension)
    estimate = Estimate(divergence, edges, dimension, (), lanes, target, are_all=False)
    cycles = estimate.of_block(nest[-1].body.block)
    _, what = cycles.dearest
    if what != TESTS_OF_LANES or 2 * cycles.lanes <= cycles.scalar:
        return None
    return (
        f"the rest: {lanes} lanes would take {lanes * cycles.lanes:.0f} cycles, most of them "
        f"for {what}; half as many work-items take {lanes * cycles.scalar / 2:.0f}"
    )


def executed_ops(block: Block) -> Iterator[Operation]:
    """The ops of `block`, and of control flow in it; not what is part of another op."""
    for op in block.ops:
        if decisions(op):
            for region in op.regions:
                for inner in region.blocks:
                    yield from executed_ops(inner)
        yield op


def loops_around(op: Operation, outermost: Operation | None) -> Iterator[Operation]:
    """The loops between `op` and `outermost`, or all of them."""
    parent = op.parent_op()
    while parent is not None and parent is not outermost:
        flow = RegionBranch.of(parent)
        if flow is not None and flow.runs is Runs.LOOP:
            yield parent
        parent = parent.parent_op()


def _is_between_loops(loop: scf.ForOp) -> bool:
    """Whether a loop that is not over work-items runs `loop`, each time with its length."""
    return not all(map(is_work_item_loop, loops_around(loop, None)))
