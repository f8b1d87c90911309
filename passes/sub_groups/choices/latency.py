"""How long an iteration of a loop waits for the one before it, in cycles."""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from spmd.dialects.element_types import memref_type
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.control_flow import phis
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.rewriting import is_poison
from spmd.dialects.spmd.types import is_float
from spmd.dialects.work_groups import is_group_memory, is_work_item_loop
from spmd.passes.memory.lower_memory_types import LOCAL_SPACE
from spmd.passes.targets import AHEAD, FLOAT_LATENCY, LATENCY, OWN_LATENCY, SCALAR


def carried_latency(loop: Operation) -> float:
    """The longest delay in an iteration from what it gets to what it hands on."""
    carried = [phi for phi in phis(loop) if isinstance(phi.values[0], BlockArgument)]
    delays: dict[SSAValue, float] = {}
    for phi in carried:
        if phi.values[0].owner is loop.regions[0].blocks[0]:
            delays[phi.values[0]] = 0
    _follow(loop, delays)
    ends = (
        source for phi in carried for source in phi.sources if phi.values[0] in delays
    )
    return max((delays.get(source.value, 0) for source in ends), default=0)


def recurrence_latency(loop: Operation) -> float:
    """
    The longest delay from a value that an iteration gets to the same one that it hands on.

    Iterations follow each other no faster, however far ahead a core is with what else they do.
    """
    found = 0.0
    for phi in phis(loop):
        (value, *_) = phi.values
        if isinstance(value, BlockArgument):
            delays: dict[SSAValue, float] = {value: 0}
            _follow(loop, delays)
            found = max(found, *(delays.get(source.value, 0) for source in phi.sources))
    return found


def wait(loop: Operation, work: float, runs: float | None) -> float:
    """
    What an iteration of scalar code waits for the one before it, where it is so much `work`.

    While a short loop waits that `runs` as often as foreseen, a core is already at the next ones.
    """
    latency = carried_latency(loop)
    if not runs or not _starts_anew(loop):
        return latency
    # What all lanes share counts as no work, but takes its place in a core.
    return latency * min(1, runs * max(work, SCALAR[CostClass.SIMPLE]) / AHEAD)


def _starts_anew(loop: Operation) -> bool:
    """Whether what `loop` carries does not come from its run before."""
    assert isinstance(loop, scf.ForOp)
    around = loop.parent_op()
    while isinstance(around, scf.IfOp):
        around = around.parent_op()
    return around is not None and (
        is_work_item_loop(around)
        or all(is_outside(first, around) for first in loop.iter_args)
    )


def _follow(op: Operation, delays: dict[SSAValue, float]) -> None:
    """Add the longest delays up to what is computed in `op`."""
    for region in op.regions:
        for phi in phis(op):
            # What another region hands to this one.
            known = [delays[s.value] for s in phi.sources if s.value in delays]
            for value in phi.values if known else ():
                delays.setdefault(value, max(known))
        for block in region.blocks:
            for inner in block.ops:
                _follow(inner, delays)
    known = [delays[operand] for operand in op.operands if operand in delays]
    for result in op.results if known else ():
        if _has_one_source(result):
            continue
        latency = LATENCY[cost_class(op)]
        if isinstance(op, memref.LoadOp) and is_own(op.memref):
            latency = OWN_LATENCY
        if is_float(result.type) and latency == 1:
            latency = FLOAT_LATENCY
        delays[result] = max(delays.get(result, 0), max(known) + latency)


def _has_one_source(result: OpResult) -> bool:
    """Whether it does not matter for `result` which way its operation goes."""
    return any(
        is_poison(source.value)
        for phi in phis(result.op)
        if result in phi.values
        for source in phi.sources
    )


def is_near(memory: SSAValue) -> bool:
    """Whether `memory` belongs to the work-group, and lies in the nearest cache."""
    in_scratch = memref_type(memory).memory_space == LOCAL_SPACE
    return in_scratch or is_group_memory(underlying_object(memory).owner)


def is_own(memory: SSAValue) -> bool:
    """Whether `memory` belongs to the work-item or its group."""
    owner = underlying_object(memory).owner
    return is_near(memory) or isinstance(owner, memref.AllocaOp)
