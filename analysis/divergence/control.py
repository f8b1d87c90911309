"""
How structured control flow makes values diverge.

Shapes speak of lanes that execute an operation together: in the same iteration of every
loop around it. Lanes that took different branches, or different numbers of iterations,
are together again after the operation, and its results mix what they brought along:

* `scf.if` and `scf.index_switch` on a varying condition: the results are varying, unless
  all branches but one yield `ub.poison`, which says nothing about them;
* a loop that some lanes leave earlier than others: its results are varying, although
  inside of it the same values may be uniform (*temporal* divergence). A value that the
  loop only passes through is not changed by that;
* `spmd.masked` with `else`: a choice between two values; without, inactive lanes have
  no value.

In every divergent operation some lanes may be inactive (*activation*).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, Region, SSAValue

from spmd.analysis.ranges.trip_counts import only_trip_count
from spmd.analysis.shapes.shape import UNDEF, VARYING, Shape, join_all
from spmd.analysis.shapes.transfer import Lanes
from spmd.dialects.enclosing import block_arguments, is_outside
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs, decisions, phis
from spmd.dialects.rewriting import is_poison
from spmd.dialects.spmd import Scope

ShapeOf: TypeAlias = Callable[[SSAValue], Shape]


@dataclass(frozen=True)
class Flow:
    """What control flow says in one dimension: shapes of values, and divergence."""

    shapes: Sequence[tuple[SSAValue, Shape]]
    diverges: bool


def yielded(region: Region) -> Sequence[SSAValue]:
    """The operands of the terminator of a region with one block."""
    block = region.blocks.first
    end = None if block is None else block.last_op
    return () if end is None else end.operands


def _merged(
    values: Sequence[SSAValue], shape_of: ShapeOf, uniformly: bool, scope: Scope
) -> Shape:
    """
    What a result is that came from one of several places.

    `ub.poison` does not count: it may be what others have. If lanes came from several
    places, that holds in a sub-group, where masks give all lanes what some have; each
    work-item of a group keeps its own.
    """
    known = [value for value in values if not is_poison(value)]
    shapes = [shape_of(value) for value in known]
    if uniformly or (
        all(value is known[0] for value in known)
        and (scope is Scope.SUB_GROUP or len(known) == len(values))
    ):
        return join_all(shapes)
    return join_all(shape.diverged() for shape in shapes)


def flow_of_choice(op: Operation, shape_of: ShapeOf, scope: Scope) -> Flow:
    """An operation that runs one of its regions once; without a choice, all lanes do."""
    uniformly = all(shape_of(each.value).is_uniform for each in decisions(op))
    shapes: list[tuple[SSAValue, Shape]] = []
    for phi in phis(op) if op.results else ():
        values = [source.value for source in phi.sources]
        shapes.append((phi.values[0], _merged(values, shape_of, uniformly, scope)))
    return Flow(shapes, not uniformly)


def _induction_variable(op: scf.ForOp, shape_of: ShapeOf, lanes: Lanes) -> Shape:
    """In one iteration, the lanes are as far apart as where they began."""
    lower, step = shape_of(op.lb), shape_of(op.step)
    if lower.is_undef or step.is_undef:
        return UNDEF
    alignment = gcd(lower.alignment, step.lane_alignment)
    if lower.stride is None or not step.is_uniform:
        return Shape.varying(gcd(lower.lane_alignment, alignment))
    # The loop ends before the variable could wrap.
    exact = lanes.is_exact(lower, op.lb)
    return Shape.strided(lower.stride, alignment, wraps=not exact)


def _trip_count_is_uniform(op: scf.ForOp, shape_of: ShapeOf, lanes: Lanes) -> bool:
    lower, upper, step = shape_of(op.lb), shape_of(op.ub), shape_of(op.step)
    if only_trip_count(op, lanes.ranges) is not None:
        return True
    if not step.is_uniform or lower.is_varying or upper.is_varying:
        return False
    if lower.is_undef or upper.is_undef or (lower.is_uniform and upper.is_uniform):
        return True
    # Bounds that move together stay equally far apart.
    return (
        lower.stride == upper.stride
        and lanes.is_exact(lower, op.lb)
        and lanes.is_exact(upper, op.ub)
    )


def flow_of_for(op: scf.ForOp, shape_of: ShapeOf, lanes: Lanes) -> Flow:
    """`scf.for`."""
    uniformly = _trip_count_is_uniform(op, shape_of, lanes)
    variable, *carried = op.body.block.args
    shapes: list[tuple[SSAValue, Shape]] = [
        (variable, _induction_variable(op, shape_of, lanes))
    ]
    for argument, result, first, again in zip(
        carried, op.results, op.iter_args, yielded(op.body), strict=True
    ):
        either = shape_of(first).join(shape_of(again))
        shapes.append((argument, either))
        if again is argument:
            shapes.append((result, shape_of(first)))
        else:
            shapes.append((result, either if uniformly else either.diverged()))
    return Flow(shapes, not uniformly)


def flow_of_while(op: scf.WhileOp, shape_of: ShapeOf) -> Flow:
    """`scf.while`."""
    condition, *passed = yielded(op.before_region)
    again = yielded(op.after_region)
    uniformly = shape_of(condition).is_uniform
    shapes: list[tuple[SSAValue, Shape]] = [
        (argument, shape_of(first).join(shape_of(value)))
        for argument, first, value in zip(
            op.before_region.block.args, op.arguments, again, strict=True
        )
    ]
    for argument, result, value in zip(
        op.after_region.block.args, op.results, passed, strict=True
    ):
        shapes.append((argument, shape_of(value)))
        fixed = uniformly or _is_invariant(op, value, passed, again)
        shape = shape_of(value)
        shapes.append((result, shape if fixed else shape.diverged()))
    return Flow(shapes, not uniformly)


def _is_invariant(
    op: scf.WhileOp,
    value: SSAValue,
    passed: Sequence[SSAValue],
    again: Sequence[SSAValue],
) -> bool:
    """Whether the loop only hands `value` through, from outside of it."""
    if isinstance(value, BlockArgument) and value.block is op.before_region.block:
        back = again[value.index]
        return (
            isinstance(back, BlockArgument)
            and back.block is op.after_region.block
            and passed[back.index] is value
        )
    return is_outside(value, op)


def flow_of_unknown(op: Operation) -> Flow:
    """An operation whose regions run in an unknown order."""
    values = (*op.results, *block_arguments(op))
    return Flow([(value, VARYING) for value in values], True)


def flow_of(op: Operation, shape_of: ShapeOf, lanes: Lanes) -> Flow:
    """What an operation with regions does to values, in one dimension."""
    if any(len(region.blocks) > 1 for region in op.regions):
        return flow_of_unknown(op)
    match op:
        case scf.ForOp():
            return flow_of_for(op, shape_of, lanes)
        case scf.WhileOp():
            return flow_of_while(op, shape_of)
        case _:
            control = RegionBranch.of(op)
            if control is None or control.runs is Runs.LOOP:
                return flow_of_unknown(op)
            return flow_of_choice(op, shape_of, lanes.scope)
