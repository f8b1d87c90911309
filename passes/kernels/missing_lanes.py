"""Where a shuffle or a broadcast asks for a value that nobody brings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from spmd.dialects.interfaces.preconditions import (
    Bits,
    Case,
    Comparison,
    Fault,
    Preconditions,
    Terms,
)
from spmd.dialects.limits import MAX_SUB_GROUP_SIZE
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import (
    BallotOp,
    BroadcastOp,
    Dimension,
    LaneIdOp,
    LocalSizeOp,
    ReduceOp,
    Scope,
    ShuffleMode,
    ShuffleOp,
    SubGroupSizeOp,
)


def _is_not_here(lane: SSAValue, terms: Terms) -> list[Case]:
    """Whether a lane does not come to this place with the others."""
    here = terms.add(BallotOp(terms.constants.bit(True)))
    number = terms.add(arith.IndexCastOp(lane, i64))
    # A shift by the width or more is undefined.
    low = terms.add(arith.AndIOp(number, terms.number(MAX_SUB_GROUP_SIZE - 1, i64)))
    shifted = terms.add(arith.ShRUIOp(here, low))
    bit = terms.add(arith.AndIOp(shifted, terms.number(1, i64)))
    return [
        (Comparison("uge", lane, terms.index(MAX_SUB_GROUP_SIZE)),),
        (Comparison("eq", bit, terms.number(0, i64)),),
    ]


def _lane(op: ShuffleOp, terms: Terms) -> SSAValue:
    """The lane that `op` reads from."""
    mode, selector = op.mode.data, op.selector
    if mode is ShuffleMode.IDX:
        return selector
    lane = terms.add(LaneIdOp())
    match mode:
        case ShuffleMode.XOR:
            return terms.add(arith.XOrIOp(lane, selector))
        case ShuffleMode.UP:
            return terms.add(arith.SubiOp(lane, selector))
        case _:
            lane = terms.sum(lane, selector)
    if mode is ShuffleMode.DOWN:
        return lane
    return terms.add(arith.RemUIOp(lane, terms.add(SubGroupSizeOp())))


def reads_from_nobody(op: ShuffleOp, terms: Terms) -> Sequence[Fault]:
    """Where the lane that a shuffle reads from is not there."""
    lane = _lane(op, terms)
    message = "a value from lane {}, which is not there"
    return [Fault(message, (lane,), tuple(_is_not_here(lane, terms)))]


def is_from_nobody(op: BroadcastOp, terms: Terms) -> Sequence[Fault]:
    """
    Where the source of a broadcast is not there, or not the same for all.

    That it is for all of a work-group is checked with its barriers.
    """
    source = op.source
    if op.scope.data is Scope.WORK_GROUP:
        size = terms.product(terms.add(LocalSizeOp(each)) for each in Dimension)
        missing = Comparison("uge", source, size)
        message = "a value from work-item {}, which is not there"
        return [Fault(message, (source,), ((missing,),))]
    message = "a value from lane {}, which is not there"
    faults = [Fault(message, (source,), tuple(_is_not_here(source, terms)))]
    if constant_index(source) is None:
        most = terms.add(ReduceOp("maxui", source, Scope.SUB_GROUP))
        differs = Comparison("ne", source, most)
        message = "a value from lane {}, where others ask for lane {}"
        faults.append(Fault(message, (source, most), ((differs,),)))
    return faults


def is_passed_on(op: ShuffleOp | BroadcastOp, bits: Bits, terms: Terms) -> SSAValue:
    """Where a value was undefined for who brought it."""
    value, selector = bits
    if value is None:
        return terms.any_of((selector,))
    if isinstance(op, ShuffleOp):
        brought = ShuffleOp(op.mode.data, value, op.selector)
    else:
        brought = BroadcastOp(value, op.source, op.scope.data)
    return terms.any_of((selector, terms.add(brought)))


@cache
def attach_missing_lanes() -> None:
    """Let shuffles and broadcasts say what is wrong with them; only checked code asks."""
    shuffle = Preconditions(reads_from_nobody, of_value=True, passed_on=is_passed_on)
    shuffle.attach(ShuffleOp)
    Preconditions(is_from_nobody, passed_on=is_passed_on).attach(BroadcastOp)
