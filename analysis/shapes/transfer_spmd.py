"""
Transfer functions of the `spmd` dialect: ids, sizes, collectives and atomics.

Whether a collective is uniform depends on who is asked: `across sub_group` gives all
lanes of a sub-group the same value, but every sub-group of a work-group its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from spmd.analysis.op_table import OpTable
from spmd.analysis.ranges.range_rules import nominal_size
from spmd.analysis.shapes.shape import CONTIGUOUS, UNIFORM, VARYING, ZERO, Shape
from spmd.analysis.shapes.transfer import Lanes, TransferFunction
from spmd.dialects.spmd import (
    AllOp,
    AnyOp,
    BallotOp,
    BroadcastOp,
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    Kind,
    LaneIdOp,
    LocalAllocOp,
    LocalIdOp,
    LocalSizeOp,
    NumGroupsOp,
    NumSubGroupsOp,
    ReduceOp,
    ScanOp,
    Scope,
    ShuffleMode,
    ShuffleOp,
    SubGroupIdOp,
    SubGroupSizeOp,
    convergence_of,
)

SPMD: OpTable[TransferFunction] = OpTable()


@SPMD.of(
    GroupIdOp, GlobalSizeOp, LocalSizeOp, NumGroupsOp, NumSubGroupsOp, LocalAllocOp
)
def _of_this_group(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    return UNIFORM


@SPMD.of(LocalIdOp)
def _local_id(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    assert isinstance(op, DimensionOp)
    if nominal_size(op) == 1:
        return ZERO
    if op.dimension.data.number != lanes.dimension:
        return UNIFORM
    if lanes.scope is Scope.SUB_GROUP:
        return VARYING  # lanes of a sub-group follow the linear id, not a dimension
    return Shape.contiguous(0)


@SPMD.of(GlobalIdOp)
def _global_id(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    assert isinstance(op, DimensionOp)
    if op.dimension.data.number != lanes.dimension:
        return UNIFORM
    if lanes.scope is Scope.SUB_GROUP:
        return VARYING
    size = nominal_size(op)
    if size == 1:
        return UNIFORM
    return CONTIGUOUS if size is None else Shape.contiguous(size)


@SPMD.of(EnqueuedLocalSizeOp)
def _enqueued_local_size(
    op: Operation, operands: Sequence[Shape], lanes: Lanes
) -> Shape:
    assert isinstance(op, DimensionOp)
    return Shape.uniform(nominal_size(op) or 1)


@SPMD.of(LaneIdOp)
def _lane_id(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    return lanes.lane_id


@SPMD.of(SubGroupIdOp, SubGroupSizeOp, BallotOp)
def _of_this_sub_group(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    return UNIFORM if lanes.scope is Scope.SUB_GROUP else VARYING


def _is_shared(op: Operation, lanes: Lanes) -> bool:
    """Whether all lanes considered take part in the same collective."""
    scope = convergence_of(op)
    return lanes.scope is Scope.SUB_GROUP or scope is Scope.WORK_GROUP


@SPMD.of(AnyOp, AllOp)
def _vote(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    return UNIFORM if _is_shared(op, lanes) else operands[0]


@SPMD.of(ReduceOp)
def _reduce(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    assert isinstance(op, ReduceOp)
    if _is_shared(op, lanes):
        # The least or greatest is what one of the lanes has.
        picks = op.kind.data in (Kind.MIN, Kind.MAX, Kind.MINUI, Kind.MAXUI)
        return Shape.uniform(operands[0].lane_alignment) if picks else UNIFORM
    # Every sub-group reduces the same value, but not every one has as many lanes.
    same = operands[0].is_uniform and op.gives_common_value()
    return operands[0] if same else VARYING


@SPMD.of(ScanOp)
def _scan(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    assert isinstance(op, ScanOp)
    same = operands[0].is_uniform and op.gives_common_value()
    return operands[0] if same else VARYING


@SPMD.of(BroadcastOp)
def _broadcast(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    value = operands[0]
    if value.is_uniform:
        return value
    return UNIFORM if _is_shared(op, lanes) else VARYING


@SPMD.of(ShuffleOp)
def _shuffle(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    assert isinstance(op, ShuffleOp)
    value, index = operands
    if value.is_uniform:
        return value
    selects = op.mode.data is ShuffleMode.IDX
    if selects and index.is_uniform and lanes.scope is Scope.SUB_GROUP:
        return UNIFORM
    return VARYING
