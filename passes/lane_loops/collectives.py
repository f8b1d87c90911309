"""Sub-group collectives as loops over lanes that accumulate in registers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from spmd.dialects.diagnostics import fail
from spmd.dialects.spmd import (
    AllOp,
    AnyOp,
    BallotOp,
    BarrierOp,
    BroadcastOp,
    ElectOp,
    Kind,
    ReduceOp,
    ScanMode,
    ScanOp,
    ShuffleMode,
    ShuffleOp,
)
from spmd.dialects.spmd.types import combine, neutral_element
from spmd.passes.lane_loops.writer import LaneWriter
from spmd.passes.sub_groups.shuffle_sources import source_lane


def write_collective(
    writer: LaneWriter, op: Operation, active: Sequence[SSAValue]
) -> None:
    """Write `op` for the lanes in which all of `active` hold."""
    match op:
        case BarrierOp():
            pass  # The loops before have ended.
        case AnyOp():
            _reduce(writer, op.predicate, op.result, Kind.OR, active)
        case AllOp():
            _reduce(writer, op.predicate, op.result, Kind.AND, active)
        case ReduceOp():
            _reduce(writer, op.value, op.result, op.kind.data, active)
        case ScanOp():
            _scan(writer, op, active)
        case BallotOp():
            _ballot(writer, op, active)
        case ElectOp():
            _elect(writer, op, active)
        case BroadcastOp():
            _exchange(writer, op, op.source, ShuffleMode.IDX, active)
        case ShuffleOp():
            _exchange(writer, op, op.selector, op.mode.data, active)
        case _:
            fail(op, f"expected a collective of the sub-group, got {op.name}")


def _contribution(
    writer: LaneWriter,
    value: SSAValue,
    neutral: SSAValue,
    active: Sequence[SSAValue],
    lane: SSAValue,
) -> SSAValue:
    """What `lane` has if it is active, and what changes nothing if it is not."""
    on = writer.on(active, lane)
    own = writer.at(value, lane)
    return own if on is None else writer.add(arith.SelectOp(on, own, neutral))


def _reduce(
    writer: LaneWriter,
    value: SSAValue,
    result: SSAValue,
    kind: Kind,
    active: Sequence[SSAValue],
) -> None:
    neutral = writer.constants.get(neutral_element(kind, value.type))
    with writer.each_lane([neutral]) as (lane, (total,), handed):
        own = _contribution(writer, value, neutral, active, lane)
        handed.append(writer.add(combine(kind, total, own)))
    writer.keep(result, handed[0], None)


def _scan(writer: LaneWriter, op: ScanOp, active: Sequence[SSAValue]) -> None:
    kind = op.kind.data
    neutral = writer.constants.get(neutral_element(kind, op.value.type))
    with writer.each_lane([neutral]) as (lane, (before,), handed):
        own = _contribution(writer, op.value, neutral, active, lane)
        total = writer.add(combine(kind, before, own))
        exclusive = op.mode.data is ScanMode.EXCLUSIVE
        writer.keep(op.result, before if exclusive else total, lane)
        handed.append(total)


def _ballot(writer: LaneWriter, op: BallotOp, active: Sequence[SSAValue]) -> None:
    none = writer.constants.number(0, i64)
    with writer.each_lane([none]) as (lane, (votes,), handed):
        off = writer.constants.bit(False)
        own = _contribution(writer, op.predicate, off, active, lane)
        bit = writer.add(arith.ExtUIOp(own, i64))
        place = writer.add(arith.IndexCastOp(lane, i64))
        here = writer.add(arith.ShLIOp(bit, place))
        handed.append(writer.add(arith.OrIOp(votes, here)))
    writer.keep(op.result, handed[0], None)


def _elect(writer: LaneWriter, op: ElectOp, active: Sequence[SSAValue]) -> None:
    no, yes = writer.constants.bit(False), writer.constants.bit(True)
    with writer.each_lane([no]) as (lane, (found,), handed):
        on = writer.on(active, lane) or yes
        writer.keep(op.result, writer.add(arith.SelectOp(found, no, on)), lane)
        handed.append(writer.add(arith.OrIOp(found, on)))


def _exchange(
    writer: LaneWriter,
    op: BroadcastOp | ShuffleOp,
    selector: SSAValue,
    mode: ShuffleMode,
    active: Sequence[SSAValue],
) -> None:
    """Each lane reads from another; from any one if that does not exist."""
    writer.slot(op.result)
    with writer.each_lane() as (lane, _, _), writer.where(writer.on(active, lane)):
        chosen = writer.at(selector, lane)
        last = writer.constants.index(writer.width - 1)
        source = source_lane(mode, lane, chosen, last, writer.add)
        writer.keep(op.result, writer.at(op.value, source), lane)
