"""
Where more lanes would wait longer: at gathers in loops, and at rows of memory.

Loops in loops that lanes leave one by one, and gathers in them:

A sub-group runs the inner loop as often as the lane that needs it most, each time anew, so
the more lanes there are the fewer of them are active. Arithmetic costs nothing for those
that are not, as long as it fills time in which other results are waited for. Gathers and
scatters take their time for each lane, active or not, and wait for many elements at once in
one register already.

Loops in which each lane goes along its own row of a matrix: these compete for lines of the first
cache, and all of them for the same few where rows are a power of two long. Rows that begin where
something in memory says do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import memref, scf
from xdsl.ir import Operation, Region

from spmd.analysis.divergence.access_patterns import Pattern, access_pattern
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.divergence.edges import Edges
from spmd.analysis.memory.sums import Sums, ValueAtom
from spmd.analysis.memory.walks import Walks
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.interfaces.cost import CostClass
from spmd.dialects.rewriting import constant_index
from spmd.dialects.work_groups import work_item_dimension
from spmd.passes.sub_groups.choices.latency import carried_latency
from spmd.passes.targets import LATENCY


def gathers_where_lanes_wait(body: Region, analyze: Callable[[], Divergence]) -> bool:
    """
    Whether lanes that run `body` gather or scatter where few of them may be active.

    `analyze` says which loops they leave one by one; it is asked only if there are any.
    """
    nested = [
        (outer, inner)
        for op in body.ops
        for outer in _loops_in(op)
        for inner in _loops_in(outer)
        if inner is not outer
    ]
    if not nested:
        return False
    divergence = analyze()
    return any(
        divergence.is_divergent(outer)
        and divergence.is_divergent(inner)
        and any(gathers_in(inner, divergence))
        for outer, inner in nested
    )


def gathers_in(
    op: Operation, divergence: Divergence
) -> Iterator[memref.LoadOp | memref.StoreOp]:
    """What lanes that run `op` load from anywhere, or store to."""
    for each in op.walk():
        if (
            isinstance(each, memref.LoadOp | memref.StoreOp)
            and access_pattern(divergence, each).pattern is Pattern.GATHER
        ):
            yield each


def goes_along_rows(loop: scf.ForOp, analyze: Callable[[], Divergence]) -> bool:
    """
    Whether lanes of a work-item loop go along rows of memory, each along its own.

    Rows do not count where each iteration waits for what the one before loads, as a checksum
    looks up what comes next: until then there is time to load a row again.
    """
    walks, dimension = Walks(), work_item_dimension(loop)
    found = [
        op
        for op in loop.body.walk()
        if isinstance(op, memref.LoadOp | memref.StoreOp)
        and op in walks
        and not _begins_anywhere(op)
        and carried_latency(_loop_around(op)) < LATENCY[CostClass.MEMORY]
    ]
    if not found:
        return False
    divergence = analyze()
    edges = Edges(divergence, loop.body.block.args[0], dimension)
    return any(edges.step(op) not in (0, 1, -1) for op in found)


def _begins_anywhere(op: memref.LoadOp | memref.StoreOp) -> bool:
    """Whether `op`, which goes along memory in a loop, does so from where memory says."""
    loop, sums = _loop_around(op), Sums()
    return any(
        isinstance(atom, ValueAtom) and isinstance(atom.value.owner, memref.LoadOp)
        for index in (loop.lb, *op.indices)
        for atom in sums.of(index).atoms()
    )


def _loop_around(op: memref.LoadOp | memref.StoreOp) -> scf.ForOp:
    loop = op.parent_op()
    assert isinstance(loop, scf.ForOp), "walks are in loops that count"
    return loop


def _loops_in(op: Operation) -> Iterator[Operation]:
    """`op` and what is inside of it, where these are loops that lanes may leave one by one."""
    for each in op.walk():
        flow = RegionBranch.of(each)
        if flow is None or flow.runs is not Runs.LOOP:
            continue
        bounds = (each.lb, each.ub) if isinstance(each, scf.ForOp) else ()
        if not bounds or any(constant_index(bound) is None for bound in bounds):
            yield each
