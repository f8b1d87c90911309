"""Which loops LLVM makes vectors of, where they are scalar code."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref, scf
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from spmd.analysis.divergence.control import yielded
from spmd.analysis.memory.accesses import accesses_of, may_overlap
from spmd.analysis.memory.walks import Walks, goes_along
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.computation import fast_math_flags
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.rewriting import has_no_effect, trip_count
from spmd.dialects.spmd.types import is_float, kind_of
from spmd.passes.targets import LINES


def is_vector_code(loop: Operation | None, walks: Walks) -> bool:
    """Whether LLVM makes vectors of iterations that go along memory, one by one."""
    if not isinstance(loop, scf.ForOp) or not _reduces(loop):
        return False
    # What computes more than it accesses is as good in lanes.
    dearest = CostClass.MEMORY if loop.iter_args else CostClass.SLOW
    return all(
        op in walks
        if isinstance(op, memref.StoreOp)
        else op in walks or _stays(op.res, loop) or _is_along(op, loop)
        if isinstance(op, memref.LoadOp)
        else cost_class(op) <= dearest and (not op.regions or _is_counted_if(op))
        for op in loop.body.block.ops
    )


def _is_along(op: memref.LoadOp, loop: scf.ForOp) -> bool:
    """Whether `op` goes along memory from where something says that LLVM loads before."""
    return goes_along(op, loop, lambda value: _stays(value, loop)) and not _is_written(
        op.memref, loop
    )


def _stays(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether `value` is the same in all iterations of `loop`, also if it is loaded there."""
    load = value.owner
    return is_outside(value, loop) or (
        isinstance(load, memref.LoadOp)
        and all(is_outside(index, loop) for index in load.indices)
        and not _is_written(load.memref, loop)
    )


def _is_written(memory: SSAValue, loop: scf.ForOp) -> bool:
    """Whether `loop` may write what is in `memory`."""
    accesses = accesses_of(loop)
    return accesses.unknown or any(
        may_overlap(memory, each) for each in accesses.writes
    )


def _reduces(loop: scf.ForOp) -> bool:
    """
    Whether all that `loop` carries is combined in it, once, in an order that may change.

    A loop of few iterations is written out instead, and its vectors are short.
    """
    if loop.iter_args and trip_count(loop) in range(LINES):
        return False
    for carried, value in zip(
        loop.body.block.args[1:], yielded(loop.body), strict=True
    ):
        op = _unless_kept(value, carried).owner
        if not isinstance(op, Operation) or kind_of(op) is None:
            return False
        if is_float(value.type) and FastMathFlag.REASSOC not in fast_math_flags(op):
            return False
        uses = 2 if op is not value.owner else 1
        if carried not in op.operands or len([*carried.uses]) != uses:
            return False
    return True


def _unless_kept(value: SSAValue, carried: SSAValue) -> SSAValue:
    """What `value` is where a condition around it does not keep what is `carried`."""
    choice = value.owner
    if not isinstance(choice, scf.IfOp) or len(choice.results) != 1:
        return value
    both = [yielded(region)[0] for region in choice.regions]
    others = [each for each in both if each is not carried]
    return others[0] if len(others) == 1 else value


def _is_counted_if(op: Operation) -> bool:
    """Whether `op` computes something simple under a condition, or else keeps a value."""
    return (
        isinstance(op, scf.IfOp)
        and len(op.results) == 1
        and all(has_no_effect(each) and not each.regions for each in _inside(op))
        and all(cost_class(each) <= CostClass.SIMPLE for each in _inside(op))
    )


def _inside(op: scf.IfOp) -> Iterator[Operation]:
    return (each for region in op.regions for each in region.walk())
