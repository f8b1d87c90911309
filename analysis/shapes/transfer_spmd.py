"""
Transformers of the `spmd` dialect: ids, sizes, collectives and atomics.

Whether a collective is uniform depends on who is asked: `across sub_group` gives all
lanes of a sub-group the same value, but every sub-group of a work-group its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from spmd.analysis.ranges.ranges import dimension_of, nominal_size
from spmd.analysis.shapes.shape import CONTIGUOUS, UNIFORM, VARYING, ZERO, Shape
from spmd.analysis.shapes.transfer import Lanes, Transformer, uniform, varying
from spmd.dialects.spmd import DimensionOp, Scope, ScopeAttr

IDEMPOTENT_KINDS = ("min", "max", "minui", "maxui", "and", "or")
"""Combining a value with itself changes nothing, however many lanes take part."""

COLLECTIVES = (
    "spmd.all",
    "spmd.any",
    "spmd.ballot",
    "spmd.broadcast",
    "spmd.reduce",
    "spmd.scan",
    "spmd.shuffle",
)
"""What they give depends on which lanes execute them together."""


def _nominal(op: DimensionOp) -> int | None:
    sizes = nominal_size(op)
    return None if sizes is None else sizes[dimension_of(op)]


def _local_id(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    assert isinstance(op, DimensionOp)
    if _nominal(op) == 1:
        return ZERO
    if dimension_of(op) != lanes.dimension:
        return UNIFORM
    if lanes.scope is Scope.SUB_GROUP:
        return VARYING  # lanes of a sub-group follow the linear id, not a dimension
    return Shape.contiguous(0)


def _global_id(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    assert isinstance(op, DimensionOp)
    if dimension_of(op) != lanes.dimension:
        return UNIFORM
    if lanes.scope is Scope.SUB_GROUP:
        return VARYING
    size = _nominal(op)
    if size == 1:
        return UNIFORM
    return CONTIGUOUS if size is None else Shape.contiguous(size)


def _enqueued_local_size(
    op: Operation, operands: Sequence[Shape], lanes: Lanes
) -> Shape:
    assert isinstance(op, DimensionOp)
    return Shape.uniform(_nominal(op) or 1)


def _lane_id(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    if lanes.scope is Scope.SUB_GROUP and lanes.dimension == 0:
        return Shape.contiguous(0)
    return VARYING


def _of_this_sub_group(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    return UNIFORM if lanes.scope is Scope.SUB_GROUP else VARYING


def _scope(op: Operation) -> Scope:
    scope = op.properties.get("scope")
    return Scope(scope.data) if isinstance(scope, ScopeAttr) else Scope.SUB_GROUP


def _is_shared(op: Operation, lanes: Lanes) -> bool:
    """Whether all lanes considered take part in the same collective."""
    return lanes.scope is Scope.SUB_GROUP or _scope(op) is Scope.WORK_GROUP


def _vote(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    return UNIFORM if _is_shared(op, lanes) else operands[0]


def _kind(op: Operation) -> str:
    kind = op.properties.get("kind")
    return str(getattr(kind, "data", kind))


def _reduce(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    if _is_shared(op, lanes):
        # The least or greatest is what one of the lanes has.
        picks = _kind(op) in ("min", "max", "minui", "maxui")
        return Shape.uniform(operands[0].lane_alignment) if picks else UNIFORM
    # Every sub-group reduces the same value, but not every one has as many lanes.
    same = operands[0].is_uniform and _kind(op) in IDEMPOTENT_KINDS
    return operands[0] if same else VARYING


def _scan(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    mode = op.properties.get("mode")
    inclusive = str(getattr(mode, "data", mode)) == "inclusive"
    same = operands[0].is_uniform and _kind(op) in IDEMPOTENT_KINDS and inclusive
    return operands[0] if same else VARYING


def _broadcast(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    value = operands[0]
    if value.is_uniform:
        return value
    return UNIFORM if _is_shared(op, lanes) else VARYING


def _shuffle(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    value, index = operands
    if value.is_uniform:
        return value
    mode = op.properties.get("mode")
    selects = str(getattr(mode, "data", mode)) == "idx"
    if selects and index.is_uniform and lanes.scope is Scope.SUB_GROUP:
        return UNIFORM
    return VARYING


SPMD_TRANSFORMERS: dict[str, Transformer] = {
    "spmd.local_id": _local_id,
    "spmd.global_id": _global_id,
    "spmd.group_id": uniform,
    "spmd.global_size": uniform,
    "spmd.local_size": uniform,
    "spmd.enqueued_local_size": _enqueued_local_size,
    "spmd.num_groups": uniform,
    "spmd.lane_id": _lane_id,
    "spmd.sub_group_id": _of_this_sub_group,
    "spmd.sub_group_size": _of_this_sub_group,
    "spmd.num_sub_groups": uniform,
    "spmd.local_alloc": uniform,
    "spmd.any": _vote,
    "spmd.all": _vote,
    "spmd.ballot": _of_this_sub_group,
    "spmd.elect": varying,
    "spmd.reduce": _reduce,
    "spmd.scan": _scan,
    "spmd.broadcast": _broadcast,
    "spmd.shuffle": _shuffle,
    "spmd.atomic_rmw": varying,
    "spmd.atomic_cas": varying,
}
