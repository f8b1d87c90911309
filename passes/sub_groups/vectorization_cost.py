"""
Why a work-item loop had better stay scalar, although it could be vectorized.

LLVM's own vectorizer handles loops without control flow but comparisons of ids. It is at its best where it knows that
arrays do not overlap, and where the loop around unrolls so that every length is known:
the steps of a tree reduction in local memory, measured to be three times faster that way
than with masks. Everything else, it was measured, loses or gains nothing by staying scalar:
global arrays may overlap, divergent control flow and calls are beyond it, and even loops
that do little but gather (a sparse matrix times a vector) are faster in lock step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import Pattern, access_pattern
from spmd.analysis.divergence.analyze import Divergence, analyze_work_items
from spmd.analysis.divergence.prefix import compares_ids
from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.element_types import memref_type
from spmd.dialects.enclosing import used_from_outside
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs, decisions
from spmd.dialects.interfaces.cost import CostClass, cost_class, is_library_function
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.work_groups import WORK_ITEMS, is_group_memory
from spmd.passes.memory.whole_vectors import LONGEST_STEP
from spmd.passes.sub_groups.vector_forms import has_vector_form
from spmd.passes.sub_groups.vector_width import element_bits

LANES_AT_ONCE = 8
"""What part of a scalar operation a vector operation costs each lane."""

LOOP_TRIPS = 8
"""How often a loop runs, of which nothing is known."""


def why_not_worthwhile(loop: scf.ForOp, items: int | None) -> str | None:
    """
    Why `loop` should be left to LLVM; `None` if lanes are better.

    `items` is its trip count, if that is known.
    """
    if (reason := _why_lanes_cost_more(loop)) is not None:
        return reason
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


def _why_lanes_cost_more(loop: scf.ForOp) -> str | None:
    """
    Why one work-item after the other is cheaper, where some op runs lane by lane anyway.

    Of a lane, a vector operation costs a part; an op in a loop over lanes costs as much as
    scalar code, and what it takes and gives goes through memory. So do elements of less
    than 32 bits that lanes have here and there: no machine gathers them.
    """
    executed = list(executed_ops(loop.body.block))
    if all(
        has_vector_form(op, lambda _: False) and not _is_narrow_access(op)
        for op in executed
    ):
        return None
    divergence = analyze_work_items(loop)
    scalar = lanes = 0.0
    slowest: tuple[float, Operation] | None = None
    for op in executed:
        often = LOOP_TRIPS ** loops_around(op, loop)
        parts = (op,) if decisions(op) else op.walk()
        cost = sum(map(cost_class, parts)) * often
        scalar += cost
        narrow = _is_narrow_access(op) and _is_gather(divergence, op)
        if has_vector_form(op, divergence.is_uniform) and not narrow:
            lanes += cost / LANES_AT_ONCE
            continue
        values = [*used_from_outside(op), *(r for r in op.results if r.first_use)]
        moved = sum(not divergence.is_uniform(value) for value in values)
        cost += moved * CostClass.MEMORY * often
        lanes += cost
        slowest = max(slowest or (cost, op), (cost, op), key=lambda pair: pair[0])
    if slowest is None or lanes < scalar:
        return None
    return f"lanes would run {slowest[1].name} one after the other, which is most of the work"


def _is_narrow_access(op: Operation) -> TypeGuard[memref.LoadOp | memref.StoreOp]:
    """Whether `op` accesses an element for which there are no gathers and scatters."""
    if not isinstance(op, memref.LoadOp | memref.StoreOp):
        return False
    return element_bits(memref_type(op.memref).element_type) < 32


def _is_gather(divergence: Divergence, op: memref.LoadOp | memref.StoreOp) -> bool:
    """Whether lanes access neither parts of whole vectors, nor digits of their ids."""
    access = access_pattern(divergence, op)
    if access.stride is not None:
        return abs(access.stride) > LONGEST_STEP

    def operands(value: SSAValue) -> Sequence[SSAValue]:
        owner = value.owner
        if isinstance(owner, Block) or Elementwise.of(owner) is None:
            return ()
        return owner.operands

    return any(
        isinstance(value.owner, Operation)
        and Elementwise.of(value.owner) is None
        and not divergence.is_uniform(value)
        for value in reachable(op.indices, operands)
    )


def executed_ops(block: Block) -> Iterator[Operation]:
    """The ops of `block`, and of control flow in it; not what is part of another op."""
    for op in block.ops:
        if decisions(op):
            for region in op.regions:
                for inner in region.blocks:
                    yield from executed_ops(inner)
        yield op


def loops_around(op: Operation, outermost: Operation) -> int:
    """How many loops stand between `op` and `outermost`."""
    count, parent = 0, op.parent_op()
    while parent is not None and parent is not outermost:
        flow = RegionBranch.of(parent)
        count += flow is not None and flow.runs is Runs.LOOP
        parent = parent.parent_op()
    return count


def _is_between_loops(loop: scf.ForOp) -> bool:
    """Whether a loop that is not over work-items runs `loop`, each time with its length."""
    parent = loop.parent_op()
    while parent is not None:
        flow = RegionBranch.of(parent)
        loops = flow is not None and flow.runs is Runs.LOOP
        if loops and WORK_ITEMS not in parent.attributes:
            return True
        parent = parent.parent_op()
    return False
