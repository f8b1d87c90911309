"""Which lane of its sub-group each lane of a shuffle reads from, in scalars or vectors."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from spmd.dialects.spmd import ShuffleMode


def source_lane(
    mode: ShuffleMode,
    lane: SSAValue,
    selector: SSAValue,
    last: SSAValue,
    insert: Callable[[Operation], SSAValue],
) -> SSAValue:
    """
    The lane that `lane` reads from, made to be one that exists; `last` is the highest.

    A sub-group has a power of two of lanes, so what keeps the others away rotates, too.
    """
    match mode:
        case ShuffleMode.IDX:
            source = selector
        case ShuffleMode.XOR:
            source = insert(arith.XOrIOp(lane, selector))
        case ShuffleMode.UP:
            source = insert(arith.SubiOp(lane, selector))
        case ShuffleMode.DOWN | ShuffleMode.ROTATE:
            source = insert(arith.AddiOp(lane, selector))
    return insert(arith.AndIOp(source, last))
