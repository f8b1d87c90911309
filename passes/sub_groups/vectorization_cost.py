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

from xdsl.dialects import memref, scf
from xdsl.ir import SSAValue

from spmd.analysis.divergence.access_patterns import Pattern, access_pattern
from spmd.analysis.divergence.analyze import analyze_work_items
from spmd.analysis.divergence.prefix import compares_ids
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.interfaces.cost import is_library_function
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.work_groups import WORK_ITEMS, is_group_memory


def why_not_worthwhile(loop: scf.ForOp, items: int | None) -> str | None:
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
